/// Where is it best? [PlacementSearch] finds the best place for a gang, all or none.
@NullMarked
package dev.muster.core.placement;

import org.jspecify.annotations.NullMarked;
