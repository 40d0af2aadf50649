/// Persistent collections in a stated order: the only ones the brain iterates.
@NullMarked
package dev.muster.core.collect;

import org.jspecify.annotations.NullMarked;
