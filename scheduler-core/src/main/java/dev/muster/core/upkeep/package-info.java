/// Upkeep of reservations, holds and planned starts after each event.
@NullMarked
package dev.muster.core.upkeep;

import org.jspecify.annotations.NullMarked;
