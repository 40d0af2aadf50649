@NullMarked
package dev.muster.core.placement.request;

import org.jspecify.annotations.NullMarked;
