/// Exact placement: the least cost over all domains by dynamic programming.
@NullMarked
package dev.muster.core.placement.exact;

import org.jspecify.annotations.NullMarked;
