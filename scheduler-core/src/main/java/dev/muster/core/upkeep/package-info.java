/// Reservations, holds and planned starts are kept true to the facts.
@NullMarked
package dev.muster.core.upkeep;

import org.jspecify.annotations.NullMarked;
