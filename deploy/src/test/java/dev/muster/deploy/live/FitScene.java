package dev.muster.deploy.live;

import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.deploy.ShippedFiles;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// A cluster snapshot, files of workloads, and the output of `muster simulate fit` for them.
abstract class FitScene {
  static final String SPENT =
      "The budget of the queue default is spent: 12 of 10 GPU-hours are used. Its next period begins at 2026-12-01T00:00:00Z.";

  static final String FOUR = "b1/r1: n1[........] n2[........] n3[........] n4[........]";

  @TempDir Path folder = Path.of("");

  record Outcome(int code, String out, String err) {}

  /// Examples that request GPUs.
  static Stream<String> examples() {
    return ShippedFiles.yamlFiles("examples").stream()
        .filter(file -> !file.contains("policy") && !file.contains("sweep"))
        .filter(file -> !file.contains("operators")); // their controllers make the pods
  }

  static List<Event> running(String name, int gpus, String node) {
    GangDraft gang = GangDraft.gang(name).of(1, gpus);
    Member pod = gang.members().getFirst();
    return List.of(
        new Event.GangSeen(Scene.START, gang.spec()),
        new Event.MemberSeen(
            Scene.START, pod.as(new MemberState.Bound(new NodeId(node), Scene.START))));
  }

  /// The budget of the queue `default` is used up.
  static List<Event> budgetSpent() {
    SpentBudget budget =
        new SpentBudget(
            BudgetOwner.queue("default"), 12, 10, Scene.START.plus(Duration.ofDays(30)));
    return List.of(new Event.BudgetsSpent(Scene.START, List.of(budget)));
  }

  Path snapshot(String drawing) throws IOException {
    return snapshot(drawing, List.of());
  }

  Path snapshot(String drawing, List<Event> more) throws IOException {
    return snapshot(drawing, more, Map.of());
  }

  Path snapshot(String drawing, List<Event> more, Map<String, String> settings) throws IOException {
    List<Event> facts = new ArrayList<>(Scene.unsynced(drawing, Policies.DEFAULT).told());
    facts.addAll(more);
    Path file = folder.resolve("snapshot.jsonl.gz");
    ClusterSnapshot.write(file, JournalHeader.of(Scene.RACKS, Policies.DEFAULT, settings), facts);
    return file;
  }

  static Path example(String name) {
    return ShippedFiles.folder().resolve("examples").resolve(name + ".yaml");
  }

  Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  static Outcome fit(Path snapshot, Path gang, Object... more) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        new CommandLine(new FitCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setExecutionExceptionHandler((failure, line, _) -> {
              line.getErr().println(failure.getMessage());
              return 1;
            });
    List<String> words = new ArrayList<>(List.of("--snapshot", snapshot.toString()));
    words.add(gang.toString());
    Stream.of(more).map(Object::toString).forEach(words::add);
    return new Outcome(
        command.execute(words.toArray(String[]::new)), out.toString(), err.toString());
  }
}
