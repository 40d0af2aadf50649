package dev.muster.server.tracing;

import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangId;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The spans of a scene, from every state through which its events lead.
final class TracedScene {
  private TracedScene() {}

  /// Returns each state from the moment in which all objects have been seen.
  static List<State> states(Scene scene, Policies policies) {
    Engine engine = new Engine(policies);
    List<State> states = new ArrayList<>();
    State state = State.empty(Scene.RACKS);
    for (Event event : scene.told()) {
      state = engine.step(state, event).after();
      if (state.cluster().synced()) {
        states.add(state);
      }
    }
    return states;
  }

  static GangLives lives(Consumer<GangSpan> spans) {
    return new GangLives(State.empty(Scene.RACKS), TracedScene::uid, spans);
  }

  private static Optional<String> uid(GangId gang) {
    return Optional.of("uid-of-" + gang.name());
  }

  /// Returns the spans of the gang, in the order in which they end.
  static List<GangSpan> spans(Scene scene, Policies policies, String gang) {
    List<GangSpan> spans = new ArrayList<>();
    GangLives lives = lives(spans::add);
    states(scene, policies).forEach(lives::seen);
    return spans.stream()
        .filter(span -> gang.equals(span.attributes().get(TraceKeys.GANG)))
        .toList();
  }

  static List<String> names(List<GangSpan> spans) {
    return spans.stream().map(GangSpan::name).toList();
  }

  static List<String> events(GangSpan span) {
    return span.events().stream().map(GangSpan.Happening::name).toList();
  }
}
