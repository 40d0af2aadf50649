package dev.muster.core.state;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.fit.Veto;
import dev.muster.core.fit.VetoCounts;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What is kept of a waiting gang does not grow with the texts of its pods.
class ShapeTest {
  /// A gang that prefers nodes by 2,000 names.
  private static GangDraft picky(String name, String last) {
    List<String> names =
        IntStream.range(0, 2_000).mapToObj(i -> i < 1_999 ? "a-node-" + i : last).toList();
    Requirement named = new Requirement(Requirement.NODE_NAME, Operator.IN, names);
    var preferred = new NodeSelection.PreferredTerm(1, List.of(named));
    return gang(name)
        .selecting(new NodeSelection(List.of(), List.of(), List.of(), List.of(preferred)))
        .of(1, 4);
  }

  private static String shape(GangDraft gang) {
    return VacantCluster.shape(gang.members(), GangConstraints.NONE);
  }

  @Test
  void shape_of_long_texts_is_short() {
    assertThat(shape(picky("a", "x")).length()).isLessThanOrEqualTo(Shape.LONGEST);
  }

  @Test
  void long_texts_that_differ_have_shapes_that_differ() {
    assertThat(shape(picky("a", "x"))).isNotEqualTo(shape(picky("a", "y")));
  }

  /// A character beyond Latin-1, or half of a pair, counts as any other.
  @Test
  void each_character_of_a_long_text_counts() {
    assertThat(shape(picky("a", "\ud800"))).isNotEqualTo(shape(picky("a", "\ud801")));
    assertThat(shape(picky("a", "\u0141"))).isNotEqualTo(shape(picky("a", "A")));
  }

  @Test
  void class_of_gangs_with_long_texts_has_a_short_key() {
    Scene scene =
        Scene.of("b/r: n1[####]")
            .arrives(picky("a", "x"))
            .arrives(picky("b", "x"))
            .arrives(picky("c", "y"));
    assertThat(scene.state().waiting().classes().keys())
        .hasSize(2)
        .allMatch(key -> key.asks().length() <= Shape.LONGEST);
  }

  /// A tenant could otherwise give a pod of another the answer that no node fits.
  @Test
  void value_of_a_condition_cannot_look_like_another_condition() {
    Requirement one = new Requirement("gpu", Operator.IN, List.of("A100"));
    Requirement other = new Requirement("zone", Operator.IN, List.of("z1"));
    Requirement both = new Requirement("gpu", Operator.IN, List.of("A100, zone=z1"));

    assertThat(List.of(both).toString()).isNotEqualTo(List.of(one, other).toString());
    assertThat(new Requirement("k", Operator.IN, List.of("a, b", "c")))
        .doesNotHaveToString(new Requirement("k", Operator.IN, List.of("a", "b, c")).toString())
        .doesNotHaveToString("k in [a, b, c]");
    assertThat(new Requirement("k", Operator.IN, List.of("\", \"")))
        .doesNotHaveToString(new Requirement("k", Operator.IN, List.of("\"", "\"")).toString());
  }

  @Test
  void answer_of_nodes_that_are_not_selected_is_short() {
    Requirement unmet = new Requirement("k", Operator.IN, List.of("x".repeat(65_536)));
    NodeSelection selection = new NodeSelection(List.of(unmet), List.of(), List.of());
    VetoCounts answer = VetoCounts.NONE.plus(new Veto.Unselected(selection, 0), 5_000);

    assertThat(answer.counts().values())
        .singleElement()
        .satisfies(count -> assertThat(count.example().toString()).hasSizeLessThan(2_100));
  }
}
