package dev.muster.core.placement;

import static dev.muster.core.kit.GangDraft.gang;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// A gang that fits is never refused, whatever the sizes of its members.
class FeasibilityTest {
  @Test
  void gang_is_placed_where_the_greedy_choice_fails() {
    Scene scene = Scene.of("b/r: n1[......] n2[....]").arrives(gang("a").of(1, 4).of(2, 3));
    assertThat(scene.nodesOf("a")).containsExactly("n2", "n1", "n1");
  }

  @Property(tries = 400)
  void gang_is_placed_exactly_if_an_assignment_of_its_members_fits(
      @ForAll @IntRange(min = 0) int seed) {
    Random random = new Random(seed);
    List<Integer> free = new ArrayList<>();
    StringBuilder drawing = new StringBuilder("b/r:");
    for (int node = 0; node < 2 + random.nextInt(3); node++) {
      free.add(1 + random.nextInt(8));
      drawing.append(" n%d[%s]".formatted(node, ".".repeat(free.getLast())));
    }
    List<Integer> sizes = new ArrayList<>();
    GangDraft gang = gang("a");
    for (int member = 0; member < 2 + random.nextInt(5); member++) {
      sizes.add(1 + random.nextInt(5));
      gang.of(1, sizes.getLast());
    }
    boolean placed = !Scene.of(drawing.toString()).arrives(gang).nodesOf("a").isEmpty();
    assertThat(placed).as("%s into %s", sizes, free).isEqualTo(fits(sizes, free));
  }

  /// Tries every node for every member.
  private static boolean fits(List<Integer> sizes, List<Integer> free) {
    if (sizes.isEmpty()) {
      return true;
    }
    for (int node = 0; node < free.size(); node++) {
      if (free.get(node) >= sizes.getFirst()) {
        List<Integer> left = new ArrayList<>(free);
        left.set(node, free.get(node) - sizes.getFirst());
        if (fits(sizes.subList(1, sizes.size()), left)) {
          return true;
        }
      }
    }
    return false;
  }
}
