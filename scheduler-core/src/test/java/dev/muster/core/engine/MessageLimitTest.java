package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.GangPhase;
import dev.muster.core.decision.MessageLimit;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.GangStatus;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// No text that an owner chooses makes a message longer than 1,024 characters.
class MessageLimitTest {
  @Test
  void short_message_is_unchanged() {
    String full = "x".repeat(1_024);

    assertThat(MessageLimit.cut(full)).isEqualTo(full);
  }

  @Test
  void long_message_ends_with_an_ellipsis() {
    assertThat(MessageLimit.cut("x".repeat(1_025))).isEqualTo("x".repeat(1_023) + "…");
  }

  @Test
  void surrogate_pair_is_not_split() {
    String text = "x".repeat(1_022) + "😀".repeat(10);

    assertThat(MessageLimit.cut(text)).isEqualTo("x".repeat(1_022) + "…");
  }

  @Test
  void message_has_no_character_that_a_terminal_obeys() {
    Veto veto = new Veto.UnknownLevel("\u001b[2Jrack\nforged\u009b1m\u202e\u2028x é 😀", List.of());

    assertThat(ReasonText.sentence(veto))
        .isEqualTo("The topology level  [2Jrack forged 1m  x é 😀 is not known.");
  }

  @Test
  void sentence_of_a_veto_with_a_long_name_is_cut() {
    Veto veto = new Veto.UnknownLevel("x".repeat(5_000), List.of());

    assertThat(ReasonText.sentence(veto)).hasSize(1_024);
  }

  @Test
  void status_with_a_long_message_is_cut() {
    assertThat(
            new GangStatus(GangPhase.PENDING, 1, 1, 0, 0, 0, "Reason", "x".repeat(5_000)).message())
        .hasSize(1_024);
  }

  @Test
  void list_of_node_names_shows_the_first_three() {
    List<String> names = IntStream.range(0, 500).mapToObj(i -> "other-" + i).toList();
    Requirement named = new Requirement("kubernetes.io/hostname", Operator.IN, names);
    NodeSelection selection =
        new NodeSelection(List.of(), List.of(List.of(named)), List.of(), List.of());
    Scene scene =
        Scene.of("b/r: n1[....] n2[....]").arrives(gang("picky").selecting(selection).of(1, 4));

    assertThat(
            ReasonText.sentence(
                scene.state().why(gang("picky").id()).orElseThrow().main().orElseThrow()))
        .isEqualTo(
            "0 of 2 nodes match: 2 NodeNotSelected (The node does not satisfy the required node affinity [[kubernetes.io/hostname in [other-0, other-1, other-2] and 497 more]]).");
  }

  @Test
  void long_list_of_values_is_searched_like_a_short_one() {
    List<String> names = IntStream.range(0, 500).mapToObj(i -> "n" + (i * 7) % 500).toList();
    Requirement within = new Requirement("k", Operator.IN, names);
    Requirement outside = new Requirement("k", Operator.NOT_IN, names);

    assertThat(within.values()).isEqualTo(names);
    for (String value : List.of("n0", "n499", "n500", "", "m")) {
      assertThat(within.holdsFor(value)).as(value).isEqualTo(names.contains(value));
      assertThat(outside.holdsFor(value)).as(value).isNotEqualTo(names.contains(value));
    }
  }
}
