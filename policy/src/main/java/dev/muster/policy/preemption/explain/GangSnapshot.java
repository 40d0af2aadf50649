package dev.muster.policy.preemption.explain;

import dev.muster.core.victims.GangProfile;
import dev.muster.policy.file.FileKind;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.StrictReader;
import dev.muster.policy.preemption.GangFacts;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.yaml.FileProblem;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// The gangs of a cluster as a policy sees them.
///
/// @param now the time of the snapshot
/// @param waiting gangs that wait for capacity
/// @param running gangs that may be preempted
public record GangSnapshot(Instant now, List<GangProfile> waiting, List<GangProfile> running) {
  private record Fields(Instant now, List<GangFacts> waiting, List<GangFacts> running) {
    GangSnapshot snapshot() {
      return new GangSnapshot(now, subjects(waiting), subjects(running));
    }

    private static List<GangProfile> subjects(List<GangFacts> facts) {
      return facts.stream().map(GangFacts::subject).toList();
    }
  }

  private static final StrictReader<Fields> READER =
      new StrictReader<>(
          List.of(
              FileKind.of(
                  new FileKind.Header("policy.muster.dev/v1", "PreemptionSubjects"),
                  Fields.class,
                  "preemption-subjects-v1.schema.json")));

  public GangSnapshot {
    waiting = List.copyOf(waiting);
    running = List.copyOf(running);
  }

  /// Reads a file of kind `PreemptionSubjects`, or the files of a folder.
  public static Loaded<GangSnapshot> read(Path place) {
    PolicySources sources = PolicySources.of(place);
    if (!sources.problems().isEmpty()) {
      return new Loaded.Invalid<>(sources.problems());
    }
    return switch (READER.together(sources.contents())) {
      case Loaded.Valid<Fields>(Fields fields, String revision) ->
          new Loaded.Valid<>(fields.snapshot(), revision);
      case Loaded.Invalid<Fields>(List<FileProblem> problems) -> new Loaded.Invalid<>(problems);
    };
  }
}
