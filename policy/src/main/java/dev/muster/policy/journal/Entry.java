package dev.muster.policy.journal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;

/** One line of a journal. */
public sealed interface Entry permits Header, Entry.Turn {

  /**
   * One turn of the engine.
   *
   * @param event what happened
   * @param decisions what was decided, in order, as an array of JSON objects: decisions are read to
   *     be compared, never to be acted upon
   */
  record Turn(Event event, JsonNode decisions) implements Entry {}
}
