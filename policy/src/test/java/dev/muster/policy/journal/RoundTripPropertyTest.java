package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;

/// No event loses anything when it is written to the journal and read back.
class RoundTripPropertyTest {

  private static final Set<String> MET = new TreeSet<>();

  @Provide
  Arbitrary<Event> events() {
    return AnyEvent.events();
  }

  @Property(tries = 1500)
  void event_is_read_as_written(@ForAll("events") Event event) throws IOException {
    MET.add(SealedTypeModule.name(event.getClass()));
    String line = new String(JournalJson.line(event, List.of()), StandardCharsets.US_ASCII);
    assertThat(line).matches("[ -\\x7f]*");
    assertThat(JournalJson.read(line))
        .isInstanceOfSatisfying(
            JournalEntry.Turn.class,
            turn -> {
              assertThat(turn.event()).isEqualTo(event);
              assertThat(turn.decisions()).isEmpty();
            });
  }

  @AfterContainer
  static void every_kind_of_event_occurred() {
    assertThat(MET).containsExactlyInAnyOrderElementsOf(SealedTypeModule.cases(Event.class));
  }
}
