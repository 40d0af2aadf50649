package dev.muster.core.engine;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import org.junit.jupiter.api.Test;

/// The number of kinds of members of one gang is limited, since each node is asked about each kind.
class KindsOfMembersTest {
  private static final int LIMIT = 32;

  /// A gang of members that differ in their cores, of which each node has plenty.
  private static String reason(int kinds) {
    GangDraft draft = gang("mixed");
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
}
