/// Backfilling: planned starts of waiting gangs, from the expected ends of running ones.
@NullMarked
package dev.muster.core.backfill;

import org.jspecify.annotations.NullMarked;
