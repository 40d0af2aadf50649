package dev.muster.policy.journal;

import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangPast;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.policy.yaml.FileProblem;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPOutputStream;

/// A cluster at one instant, kept as a short journal.
///
/// It has a header, one event per object, and the event that all objects were seen. Reading replays
/// these events through the engine, so the state is exactly the engine's own, and the run can
/// continue from there. The journal of a live server is a snapshot too, of the cluster at its last
/// line.
///
/// @param header the header of the cluster's run
/// @param engine the engine that took the events, and may continue from the state
/// @param state the state after the last event; every existing object was seen
public record ClusterSnapshot(JournalHeader header, Engine engine, State state) {
  /// Returns the snapshot before the first event of a run.
  private static ClusterSnapshot begun(JournalHeader header, Policies policies) {
    return new ClusterSnapshot(
        header, new Engine(policies), State.empty(header.topology(), policies));
  }

  /// Returns the time of the newest event.
  public Instant at() {
    return state.cluster().now();
  }

  /// Reads a snapshot, or the end of a journal, plain or gzip, under the policies of its header.
  ///
  /// @throws MalformedJournal if a line cannot be used, or the file ends before all objects were
  ///   seen
  /// @throws IOException if the file cannot be read
  public static ClusterSnapshot read(Path file) throws IOException {
    return read(file, UnaryOperator.identity(), _ -> {});
  }

  /// Reads a snapshot, or the end of a journal, plain or gzip.
  ///
  /// @param policies makes the policies for decisions from those of the header, which never include
  ///   a preemption policy, since no journal holds one
  /// @throws MalformedJournal if a line cannot be used, or the file ends before all objects were
  ///   seen
  /// @throws IOException if the file cannot be read
  public static ClusterSnapshot read(Path file, UnaryOperator<Policies> policies)
      throws IOException {
    return read(file, policies, _ -> {});
  }

  /// Reads a snapshot, or the end of a long journal, and reports its progress.
  ///
  /// @param watch called with the reader after each line
  public static ClusterSnapshot read(
      Path file, UnaryOperator<Policies> policies, Consumer<JournalReader> watch)
      throws IOException {
    if (!Files.exists(file)) {
      throw wrong(file, "no such file. `muster simulate export` writes a snapshot.");
    }
    try (JournalReader journal = JournalReader.open(file)) {
      Optional<ClusterSnapshot> read = Optional.empty();
      boolean missing = false;
      boolean empty = true;
      for (Optional<JournalEntry> e = journal.next(); e.isPresent(); e = journal.next()) {
        watch.accept(journal);
        empty = false;
        missing =
            switch (e.get()) {
              case JournalHeader _ -> false;
              case JournalEntry.Continuation _, JournalEntry.Image _ ->
                  true; // false again if the image can be read
              case JournalEntry.Turn _ -> missing;
            };
        read =
            switch (e.get()) {
              case JournalHeader header -> Optional.of(begun(header, journal, policies));
              case JournalEntry.Image image -> goingOn(image, journal, policies);
              case JournalEntry.Continuation _ -> Optional.empty();
              case JournalEntry.Turn(Event event, _) ->
                  read.isEmpty() ? read : Optional.of(read.get().after(event, journal));
            };
      }
      if (empty) {
        throw journal.noSnapshot();
      }
      String lacking =
          missing
              ? "lacks turns of its last run: older files (FILE.1, FILE.2) are missing, the disk was full, or another version of Muster wrote it. A restart of the server begins a new run."
              : "ends before all objects were seen: it has no event Synced.";
      return read.filter(last -> last.state.cluster().synced())
          .orElseThrow(() -> wrong(file, lacking));
    }
  }

  private static Optional<ClusterSnapshot> goingOn(
      JournalEntry.Image image, JournalReader journal, UnaryOperator<Policies> policies)
      throws MalformedJournal {
    ClusterSnapshot begun = begun(image.header(), journal, policies);
    Policies used = begun.engine.policies();
    return image
        .state()
        .map(state -> new ClusterSnapshot(begun.header, begun.engine, state.under(used)));
  }

  private static ClusterSnapshot begun(
      JournalHeader header, JournalReader journal, UnaryOperator<Policies> policies)
      throws MalformedJournal {
    return journal.made(() -> begun(header, policies.apply(header.plainPolicies())));
  }

  private static MalformedJournal wrong(Path file, String message) {
    return new MalformedJournal(FileProblem.ofFile(file.toString(), message));
  }

  private ClusterSnapshot after(Event event, JournalReader journal) throws MalformedJournal {
    return new ClusterSnapshot(header, engine, journal.step(engine, state, event).after());
  }

  private ClusterSnapshot after(Event event) {
    return new ClusterSnapshot(header, engine, engine.step(state, event).after());
  }

  /// Returns the snapshot of a cluster that consists of exactly these facts.
  ///
  /// @param policies as for [#read]
  public static ClusterSnapshot of(
      JournalHeader header, List<Event> facts, UnaryOperator<Policies> policies) {
    ClusterSnapshot snapshot = begun(header, policies.apply(header.plainPolicies()));
    for (Event fact : facts) {
      snapshot = snapshot.after(fact);
    }
    return snapshot.after(synced(facts));
  }

  private static Event synced(List<Event> facts) {
    return new Event.Synced(
        facts.stream().map(Event::at).max(Instant::compareTo).orElse(Instant.EPOCH));
  }

  /// Writes a snapshot, compressed if the name ends in `.gz`.
  ///
  /// The file is a journal as the server would write it. It has the engine's decisions on these
  /// facts at that time, without preemption.
  ///
  /// @param facts one event per object; the event that all objects were seen is added, with the
  ///   time of the last fact
  /// @throws IOException if it cannot be written
  public static ClusterSnapshot write(Path file, JournalHeader header, List<Event> facts)
      throws IOException {
    ClusterSnapshot snapshot = begun(header.withoutPreemption(), header.plainPolicies());
    try (OutputStream out = stream(file)) {
      line(out, JournalJson.line(snapshot.header()));
      for (Event fact : facts) {
        snapshot = snapshot.noting(fact, out);
      }
      return snapshot.noting(synced(facts), out);
    }
  }

  /// Returns the facts of each object at the time of the snapshot: the input of [#write].
  public List<Event> facts() {
    return facts(state.cluster());
  }

  /// Returns the facts of each object at the time of the image, as a restart would read them. The
  /// last fact has the budgets that are used up, if there are any.
  public static List<Event> facts(Cluster image) {
    Instant at = image.now();
    List<Event> facts = new ArrayList<>();
    Set<MemberId> members = new HashSet<>();
    image.nodes().forEach(node -> facts.add(new Event.NodeSeen(at, node.node())));
    for (Gang gang : image.gangs()) {
      gang.spec().ifPresent(spec -> facts.add(new Event.GangSeen(at, recalling(spec, gang))));
      gang.ignored()
          .ifPresent(found -> facts.add(new Event.DiscrepanciesSeen(at, gang.id(), found)));
      gang.members().forEach(member -> facts.add(new Event.MemberSeen(at, member)));
      members.addAll(gang.members().keys());
    }
    for (NodeState node : image.nodes()) {
      for (MemberId pod : node.occupants().keys()) {
        if (!members.contains(pod)) {
          NodeShare share = node.occupants().get(pod).orElseThrow();
          facts.add(
              new Event.UnmanagedPodSeen(at, pod, node.id(), share.resources(), share.gpus()));
        }
      }
    }
    if (!image.spent().isEmpty()) {
      facts.add(new Event.BudgetsSpent(at, image.spent()));
    }
    return facts;
  }

  /// Returns the declaration with the present past. Its own is that of the first time it was seen.
  private static GangSpec recalling(GangSpec spec, Gang gang) {
    return spec.recalling(Optional.of(gang.past()).filter(past -> !past.equals(GangPast.NONE)));
  }

  private ClusterSnapshot noting(Event event, OutputStream out) throws IOException {
    Step step = engine.step(state, event);
    line(out, JournalJson.line(event, step.decisions()));
    return new ClusterSnapshot(header, engine, step.after());
  }

  private static OutputStream stream(Path file) throws IOException {
    OutputStream plain = new BufferedOutputStream(Files.newOutputStream(file));
    return file.toString().endsWith(".gz") ? new GZIPOutputStream(plain) : plain;
  }

  private static void line(OutputStream out, byte[] line) throws IOException {
    out.write(line);
    out.write('\n');
  }
}
