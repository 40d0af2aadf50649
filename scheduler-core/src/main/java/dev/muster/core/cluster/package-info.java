/// What is true now: nodes, gangs, reservations, and the events that change them.
@NullMarked
package dev.muster.core.cluster;

import org.jspecify.annotations.NullMarked;
