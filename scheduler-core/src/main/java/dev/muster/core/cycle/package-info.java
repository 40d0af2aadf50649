/// One scheduling cycle: the gangs to wake, their order, and one attempt each.
@NullMarked
package dev.muster.core.cycle;

import org.jspecify.annotations.NullMarked;
