/// OpenTelemetry traces: one per gang, with a span for each phase of its life.
@NullMarked
package dev.muster.server.tracing;

import org.jspecify.annotations.NullMarked;
