package dev.muster.policy.preemption.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.core.victims.PreemptionPolicy.Mode;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicyYaml;
import dev.muster.policy.preemption.PreemptionPolicyProvider;
import dev.muster.policy.preemption.load.PolicyWatch.Status;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A policy follows its files when a mounted ConfigMap swaps them.
class PolicyWatchTest {
  private final AtomicReference<Instant> now = new AtomicReference<>(PolicyYaml.NOON);
  private final List<Status> told = new ArrayList<>();

  @TempDir private Path mount = Path.of("");
  private int generation;

  /// Puts files where the kubelet does: into a folder that `..data` then points to.
  private void publish(String... texts) throws IOException {
    generation++;
    Path folder = Files.createDirectory(mount.resolve("..generation" + generation));
    for (int i = 0; i < texts.length; i++) {
      Files.writeString(folder.resolve(i + ".yaml"), PolicyYaml.HEADER + texts[i]);
    }
    Path link = Files.createSymbolicLink(mount.resolve("..data_tmp"), folder.getFileName());
    Files.move(
        link,
        mount.resolve("..data"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    for (int i = 0; i < texts.length; i++) {
      Path visible = mount.resolve(i + ".yaml");
      if (!Files.isSymbolicLink(visible)) {
        Files.createSymbolicLink(visible, Path.of("..data", i + ".yaml"));
      }
    }
  }

  private PolicyWatch watch() {
    PolicyLoader loader = new PolicyLoader(Plugins.NONE, failure -> {});
    return PolicyWatch.of(mount, loader, told::add, now::get);
  }

  private void settle(PolicyWatch watch) {
    now.updateAndGet(time -> time.plusSeconds(10));
    watch.poll();
    watch.poll();
  }

  @BeforeEach
  void aPolicyIsMounted() throws IOException {
    publish("mode: Shadow");
  }

  @Test
  void first_files_are_in_force_at_once() {
    PolicyWatch watch = watch();

    assertThat(watch.get().mode()).isEqualTo(Mode.SHADOW);
    assertThat(watch.status().isGood()).isTrue();
    assertThat(watch.poll()).isFalse();
    assertThat(told).isEmpty();
  }

  @Test
  void swapped_link_loads_the_new_files() throws IOException {
    PolicyWatch watch = watch();
    String before = watch.get().revision();

    publish("mode: Enforce");
    settle(watch);

    assertThat(watch.get().mode()).isEqualTo(Mode.ENFORCE);
    assertThat(watch.get().revision()).isNotEqualTo(before);
    assertThat(watch.status().loadedAt()).isEqualTo(PolicyYaml.NOON.plusSeconds(10));
    assertThat(told).containsExactly(watch.status());
  }

  @Test
  void invalid_files_keep_the_last_valid_ones_and_report_why() throws IOException {
    PolicyWatch watch = watch();
    String before = watch.get().revision();

    publish("mode: Enforced");
    settle(watch);

    assertThat(watch.get().mode()).isEqualTo(Mode.SHADOW);
    assertThat(watch.status().revision()).isEqualTo(before);
    assertThat(watch.status().loadedAt()).isEqualTo(PolicyYaml.NOON);
    assertThat(watch.status().checkedAt()).isEqualTo(PolicyYaml.NOON.plusSeconds(10));
    assertThat(watch.status().problems())
        .singleElement()
        .asString()
        .contains("0.yaml:3:7: mode: \"Enforced\" is not known");
    publish("mode: Off");
    settle(watch);
    assertThat(watch.get().mode()).isEqualTo(Mode.OFF);
    assertThat(told).extracting(Status::isGood).containsExactly(false, true);
  }

  @Test
  void return_to_the_old_files_is_valid_again() throws IOException {
    PolicyWatch watch = watch();
    String before = watch.get().revision();
    publish("mode: ''");
    settle(watch);
    publish("mode: Shadow");
    settle(watch);

    assertThat(watch.status().isGood()).isTrue();
    assertThat(watch.get().revision()).isEqualTo(before);
  }

  @Test
  void incompletely_written_files_are_not_used() throws IOException {
    PolicyWatch watch = watch();
    publish("mode: Enforce");

    assertThat(watch.poll()).as("seen for the first time").isFalse();
    publish("mode: Off");
    assertThat(watch.poll()).as("changed again").isFalse();
    assertThat(watch.poll()).as("settled").isTrue();
    assertThat(watch.get().mode()).isEqualTo(Mode.OFF);
  }

  @Test
  void without_valid_files_no_gang_is_preempted() throws IOException {
    publish("mode: nonsense");

    PolicyWatch watch = watch();

    assertThat(watch.get().mode()).isEqualTo(Mode.OFF);
    assertThat(watch.status().isGood()).isFalse();
  }

  @Test
  void deleted_folder_keeps_the_policy_in_force() throws IOException {
    PolicyWatch watch = watch();
    Files.delete(mount.resolve("0.yaml"));
    settle(watch);

    assertThat(watch.get().mode()).isEqualTo(Mode.SHADOW);
    assertThat(watch.status().problems()).singleElement().asString().contains("has no .yaml file.");
  }

  @Test
  void plugin_error_is_a_problem_and_the_policy_stays() throws IOException {
    PolicyLoader loader = new PolicyLoader(new Plugins(List.of(new Broken())), failure -> {});
    PolicyWatch watch = PolicyWatch.of(mount, loader, told::add, now::get);
    publish("mode: Enforce\nplugin: {name: broken}");
    settle(watch);

    assertThat(watch.get().mode()).isEqualTo(Mode.SHADOW);
    assertThat(watch.status().problems())
        .singleElement()
        .asString()
        .contains("cannot be used: the class gone is missing.");

    publish("mode: Off");
    settle(watch);
    assertThat(watch.get().mode()).isEqualTo(Mode.OFF);
    assertThat(watch.status().isGood()).isTrue();
  }

  @Test
  void throwing_listener_does_not_end_the_watch() throws Exception {
    BlockingQueue<Status> heard = new LinkedBlockingQueue<>();
    Consumer<Status> throwing =
        status -> {
          heard.add(status);
          throw new IllegalStateException("on purpose");
        };
    PolicyLoader loader = new PolicyLoader(Plugins.NONE, failure -> {});
    try (PolicyWatch watch = PolicyWatch.of(mount, loader, throwing, now::get)) {
      watch.every(Duration.ofMillis(1));
      publish("mode: Enforce");
      assertThat(heard.poll(30, TimeUnit.SECONDS)).isNotNull();
      publish("mode: Off");
      assertThat(heard.poll(30, TimeUnit.SECONDS)).isNotNull();
      assertThat(watch.get().mode()).isEqualTo(Mode.OFF);
    }
  }

  private static final class Broken implements PreemptionPolicyProvider {
    @Override
    public String name() {
      return "broken";
    }

    @Override
    public PreemptionPolicy policy(PreemptionPolicy file, SortedMap<String, String> parameters) {
      throw new NoClassDefFoundError("gone");
    }
  }

  @Test
  void status_has_the_first_problems_and_the_number_of_others() {
    List<FileProblem> many =
        IntStream.rangeClosed(1, 50_000)
            .mapToObj(line -> new FileProblem("p.yaml", line, 1, "", "is wrong."))
            .toList();

    List<FileProblem> shown = new Status("", Instant.EPOCH, Instant.EPOCH, many).problems();

    assertThat(shown).hasSize(21).startsWith(many.getFirst(), many.get(1));
    assertThat(shown.getLast())
        .hasToString("p.yaml: 49,980 more problems. `muster policy validate` prints all.");
  }

  @Test
  void problem_of_a_huge_value_is_cut() {
    FileProblem huge = new FileProblem("p.yaml", 1, 1, "f".repeat(9_999), "x".repeat(1 << 20));

    FileProblem shown =
        new Status("", Instant.EPOCH, Instant.EPOCH, List.of(huge)).problems().getFirst();

    assertThat(shown.render()).hasSizeLessThan(3_000);
  }
}
