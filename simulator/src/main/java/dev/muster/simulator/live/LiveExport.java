package dev.muster.simulator.live;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.policy.journal.ClusterSnapshot;
import dev.muster.policy.journal.JournalHeader;
import dev.muster.policy.journal.JournalReader;
import dev.muster.simulator.file.AtomicFiles;
import dev.muster.simulator.fleet.FleetLines;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// Exports a live cluster for simulations: its state, its nodes and its jobs.
///
/// The files are `snapshot.jsonl` (state), `cluster.jsonl` (nodes) and `jobs.jsonl` (jobs).
///
/// @param namespaces the namespaces to export; empty: all. Pods of all other namespaces are
///   exported without names, as used capacity only
/// @param hash hash of names; absent: names are kept
public record LiveExport(Set<String> namespaces, Optional<Pseudonymizer> hash) {
  /// The file with the state of the cluster.
  public static final String SNAPSHOT = "snapshot.jsonl";

  /// The file with its nodes, for `simulate run --cluster`.
  public static final String CLUSTER = "cluster.jsonl";

  /// The file with its jobs, for `simulate run --trace`.
  public static final String JOBS = "jobs.jsonl";

  /// The names of all files.
  public static final List<String> NAMES = List.of(SNAPSHOT, CLUSTER, JOBS);

  /// The prefix of header settings with the value of a priority class.
  public static final String PRIORITY_CLASS = "priorityClass.";

  /// The namespace of pods that are exported without names.
  private static final String NOBODY = "others";

  public LiveExport {
    namespaces = Set.copyOf(namespaces);
  }

  /// The known facts about a cluster.
  ///
  /// @param header its settings
  /// @param facts present state of its objects
  /// @param past starts and ends of its finished pods
  /// @param journal journal of the server, if present
  /// @param watch called after each line of the journal, to show progress
  public record Sources(
      JournalHeader header,
      List<Event> facts,
      List<Event> past,
      Optional<Path> journal,
      Consumer<JournalReader> watch) {
    /// Creates sources without a progress display.
    public Sources(
        JournalHeader header, List<Event> facts, List<Event> past, Optional<Path> journal) {
      this(header, facts, past, journal, _ -> {});
    }
  }

  /// The exported data.
  ///
  /// @param snapshot state of the cluster
  /// @param jobs its jobs
  /// @param gpus GPUs of its nodes that pods of other namespaces do not use
  public record Written(ClusterSnapshot snapshot, LiveJobs jobs, int gpus) {}

  /// Writes the three files, or none.
  ///
  /// @throws IllegalArgumentException if one of them would overwrite the journal
  /// @throws IOException if a file cannot be read or written
  public Written write(Path folder, Sources sources) throws IOException {
    if (sources.journal().isPresent()) {
      for (String name : NAMES) {
        AtomicFiles.spare(folder.resolve(name), sources.journal().get(), "--journal");
      }
    }
    List<Event> facts = hashed(masked(sources.facts()));
    JournalHeader header = hash.map(names -> names.of(sources.header())).orElse(sources.header());
    ClusterSnapshot snapshot = ClusterSnapshot.of(header, facts, UnaryOperator.identity());
    var fleet = LiveFleet.of(CLUSTER, snapshot.state().cluster());
    LiveJobs jobs = LiveJobs.of(history(sources, facts, snapshot));
    AtomicFiles.write(
        folder,
        NAMES,
        half -> {
          ClusterSnapshot.write( // in order of hashed names, which reveals nothing
              half.resolve(SNAPSHOT), header, snapshot.facts());
          try (Writer out = Files.newBufferedWriter(half.resolve(CLUSTER))) {
            FleetLines.write(fleet, out);
          }
          jobs.write(half.resolve(JOBS));
        });
    return new Written(snapshot, jobs, fleet.gpus());
  }

  private JobHistory history(Sources sources, List<Event> facts, ClusterSnapshot snapshot)
      throws IOException {
    JobHistory history = new JobHistory();
    if (sources.journal().isPresent()) {
      try (JournalReader journal = JournalReader.open(sources.journal().get())) {
        history.note(
            journal,
            event -> {
              sources.watch().accept(journal);
              return wanted(event) ? hashed(event) : Optional.empty();
            });
      }
    }
    history.relist();
    facts.stream().filter(Event.GangSeen.class::isInstance).forEach(history::note);
    hashed(sources.past().stream().filter(this::wanted).toList()).forEach(history::note);
    facts.forEach(history::note);
    history.note(new Event.Synced(snapshot.at()));
    return history;
  }

  // ---- Selection and renaming ----

  private boolean wanted(Event event) {
    return switch (event) {
      case Event.OfGang said -> wanted(said.gang());
      case Event.NodeSeen _, Event.NodeGone _, Event.Synced _ -> true;
      case Event.BudgetsSpent _ -> namespaces.isEmpty(); // it names projects of all namespaces
      case Event.UnmanagedPodSeen _,
          Event.UnmanagedPodGone _,
          Event.Tick _,
          Event.PolicyChanged _,
          Event.Outcome _ ->
          false;
    };
  }

  private boolean wanted(GangId gang) {
    return namespaces.isEmpty() || namespaces.contains(gang.namespace());
  }

  /// Returns the wanted facts unchanged, and other pods reduced to the capacity that they use.
  private List<Event> masked(List<Event> facts) {
    List<Event> masked = new ArrayList<>();
    for (Event fact : facts) {
      if (wanted(fact)) {
        masked.add(fact);
      } else {
        unmanagedPod(fact, masked.size()).ifPresent(masked::add);
      }
    }
    return masked;
  }

  private static Optional<Event> unmanagedPod(Event fact, int number) {
    MemberId pod = new MemberId(NOBODY, "pod-" + number, String.valueOf(number));
    return switch (fact) {
      case Event.UnmanagedPodSeen(var at, _, var node, var resources, int gpus) ->
          Optional.of(new Event.UnmanagedPodSeen(at, pod, node, resources, gpus));
      case Event.MemberSeen(var at, var member) ->
          member
              .node()
              .map(node ->
                  new Event.UnmanagedPodSeen(
                      at, pod, node, member.request().resources(), member.request().gpus()));
      case Event.NodeSeen _,
          Event.NodeGone _,
          Event.GangSeen _,
          Event.GangGone _,
          Event.DiscrepanciesSeen _,
          Event.GangChanged _,
          Event.MemberGone _,
          Event.UnmanagedPodGone _,
          Event.Synced _,
          Event.Tick _,
          Event.PolicyChanged _,
          Event.BudgetsSpent _,
          Event.Outcome _ ->
          Optional.empty();
    };
  }

  private List<Event> hashed(List<Event> events) {
    return events.stream().flatMap(event -> hashed(event).stream()).toList();
  }

  private Optional<Event> hashed(Event event) {
    return hash.isEmpty() ? Optional.of(event) : hash.get().of(event);
  }
}
