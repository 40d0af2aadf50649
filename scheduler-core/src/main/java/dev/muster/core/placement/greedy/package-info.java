/// Greedy placement: packs gangs with too many kinds of members for the exact search.
@NullMarked
package dev.muster.core.placement.greedy;

import org.jspecify.annotations.NullMarked;
