/// Which placement is best? [PlacementSearch] finds the best place for a gang, all members or none.
@NullMarked
package dev.muster.core.placement;

import org.jspecify.annotations.NullMarked;
