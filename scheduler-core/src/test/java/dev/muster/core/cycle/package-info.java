@NullMarked
package dev.muster.core.cycle;

import org.jspecify.annotations.NullMarked;
