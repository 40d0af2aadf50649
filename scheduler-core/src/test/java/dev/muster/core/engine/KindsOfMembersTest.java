package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Requirement.Operator;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The kinds of members of one gang are limited, and so are the conditions of all kinds together.
/// Each node is asked about each of them.
class KindsOfMembersTest {
  private static final int LIMIT = 32;

  private static NodeSelection racks(int conditions) {
    Requirement rack = new Requirement("rack", Operator.EXISTS, List.of());
    return new NodeSelection(Collections.nCopies(conditions, rack), List.of(), List.of());
  }

  /// A gang of members that differ in their cores, of which each node has plenty.
  private static String reason(int kinds) {
    return reason(kinds, 0);
  }

  /// @param conditions of the node selection of each kind
  private static String reason(int kinds, int conditions) {
    GangDraft draft = gang("mixed").selecting(racks(conditions));
    for (int i = 0; i < kinds; i++) {
      draft = draft.cores(1 + i).of(1, 0);
    }
    Scene scene = Scene.of("b/r: n1[########] n2[########]").arrives(draft);
    return scene
        .state()
        .why(draft.id())
        .flatMap(Explanation::main)
        .map(veto -> ReasonText.token(veto) + ": " + ReasonText.sentence(veto))
        .orElse("");
  }

  @Test
  void gang_with_too_many_kinds_is_invalid() {
    assertThat(reason(LIMIT + 1))
        .isEqualTo(
            "InvalidSpecification: The waiting pods of the gang differ in requests, node selection or tolerations in more than 32 ways; the limit is 32.");
  }

  @Test
  void gang_at_the_limit_is_judged_by_its_requests() {
    assertThat(reason(LIMIT)).doesNotContain("InvalidSpecification");
  }

  @Test
  void gang_with_too_many_conditions_is_invalid() {
    assertThat(reason(LIMIT, 17))
        .isEqualTo(
            "InvalidSpecification: The waiting pods of the gang have more than 512 conditions of node selection; the limit is 512.");
  }

  @Test
  void gang_with_as_many_conditions_as_the_limit_is_placed() {
    assertThat(reason(LIMIT, 16)).doesNotContain("InvalidSpecification");
  }

  /// The limits of its object bound what one pod selects.
  @Test
  void equal_members_count_once() {
    GangDraft draft = gang("equal").selecting(racks(200)).of(3, 1);
    assertThat(Scene.of("b/r: n1[........]").arrives(draft).whyNot("equal")).isEmpty();
  }
}
