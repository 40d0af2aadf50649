package dev.muster.server.tracing;

import io.opentelemetry.api.common.Attributes;
import java.time.Instant;
import java.util.List;

/// A span of a gang that is over.
///
/// @param life identity of the gang's life, from which the ids of the trace and its root are made
/// @param name name of the phase, or [#ROOT]
/// @param start start of the span
/// @param end end of the span
/// @param attributes facts about the gang and the span
/// @param events what happened in it, oldest first
/// @param failed whether members of the gang failed
record GangSpan(
    String life,
    String name,
    Instant start,
    Instant end,
    Attributes attributes,
    List<Happening> events,
    boolean failed) {
  /// The name of the span of the whole life, which is the root of the trace.
  static final String ROOT = "gang";

  GangSpan {
    events = List.copyOf(events);
  }

  /// An event of a span.
  record Happening(Instant at, String name, Attributes attributes) {}

  boolean isRoot() {
    return name.equals(ROOT);
  }
}
