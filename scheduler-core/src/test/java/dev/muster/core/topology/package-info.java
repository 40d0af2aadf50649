@NullMarked
package dev.muster.core.topology;

import org.jspecify.annotations.NullMarked;
