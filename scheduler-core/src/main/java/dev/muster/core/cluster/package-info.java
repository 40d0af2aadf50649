/// The immutable image of the cluster, and the events that change it.
@NullMarked
package dev.muster.core.cluster;

import org.jspecify.annotations.NullMarked;
