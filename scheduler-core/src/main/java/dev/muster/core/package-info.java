@NullMarked
package dev.muster.core;

import org.jspecify.annotations.NullMarked;
