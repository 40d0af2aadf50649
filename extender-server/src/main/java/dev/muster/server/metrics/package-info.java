/// Metrics of gangs, GPUs and queues, for dashboards. The metrics of the process are with the
/// pages.
@NullMarked
package dev.muster.server.metrics;

import org.jspecify.annotations.NullMarked;
