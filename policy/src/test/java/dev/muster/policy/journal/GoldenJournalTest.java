package dev.muster.policy.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.Quota;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Slices;
import dev.muster.core.gang.Taint.Effect;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Interconnect;
import dev.muster.core.topology.LevelBandwidths;
import dev.muster.core.topology.Link;
import dev.muster.core.topology.Locality;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.Vertex;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The golden file fixes the journal format, since a change affects every reader of journals. For
/// an intended change, `target/small-journal.jsonl` is the new golden file.
class GoldenJournalTest {

  private static final String GOLDEN = "small-journal.jsonl";
  private static final Policies POLICIES =
      Policies.of(Duration.ofMinutes(2), Optional.of(Duration.ofMinutes(90)));

  @TempDir private Path scratch = Path.of("");

  @Test
  void small_journal_has_the_golden_bytes() throws IOException {
    Path file = Path.of("target", GOLDEN);
    Files.deleteIfExists(file);
    try (JournalWriter journal = JournalWriter.open(file, header(), _ -> {})) {
      State state = State.empty(topology());
      for (Event event : story()) {
        Step step = new Engine(POLICIES).step(state, event);
        journal.note(event, step);
        state = step.after();
      }
    }
    assertThat(Files.readString(file)).isEqualTo(golden());
  }

  @Test
  void every_kind_of_event_is_in_the_golden_journal() {
    assertThat(story().stream().map(event -> SealedTypeModule.name(event.getClass())).distinct())
        .containsExactlyInAnyOrderElementsOf(SealedTypeModule.cases(Event.class));
  }

  @Test
  void golden_journal_replays() throws IOException {
    Path file = Files.writeString(scratch.resolve(GOLDEN), golden());
    try (JournalReader journal = JournalReader.open(file)) {
      assertThat(Replay.of(journal, header -> new Engine(header.plainPolicies())))
          .isEqualTo(new Replay(1, story().size(), 0, Optional.empty()));
    }
  }

  @Test
  void golden_header_is_read_as_written() throws IOException {
    Path file = Files.writeString(scratch.resolve(GOLDEN), golden());
    try (JournalReader journal = JournalReader.open(file)) {
      JournalHeader read = (JournalHeader) journal.next().orElseThrow();
      assertThat(read).isEqualTo(header());
      assertThat(read.plainPolicies()).isEqualTo(POLICIES);
    }
  }

  @Test
  void queues_are_read_as_written() throws IOException {
    Queue queue =
        new Queue(
            "nlp", 3, List.of("ml"), Optional.of(100), Quota.of(8), Quota.of(16).with("H100", 12));
    Queues queues = Queues.of(List.of(queue, Queue.of("rest")), Duration.ofDays(3));
    Policies policies = Policies.of(queues, Duration.ofMinutes(2), Optional.empty());
    Path file = scratch.resolve("queues.jsonl");
    JournalWriter.open(file, JournalHeader.of(Scene.RACKS, policies, Map.of()), _ -> {}).close();
    try (JournalReader journal = JournalReader.open(file)) {
      assertThat(((JournalHeader) journal.next().orElseThrow()).plainPolicies())
          .isEqualTo(policies);
    }
  }

  @Test
  void policies_missing_from_the_journal_are_not_invented() {
    var settings = new TreeMap<>(Map.of("order", "custom", "revision", "0123456789ab"));
    JournalHeader header = new JournalHeader(Scene.RACKS, settings, Queues.NONE);
    assertThatThrownBy(header::plainPolicies)
        .hasMessageContaining("revision=0123456789ab")
        .hasMessageEndingWith("Name the policy file that was in force.");
  }

  private static JournalHeader header() {
    return JournalHeader.of(topology(), POLICIES, Map.of("revision", "0123456789ab"));
  }

  private static Topology topology() {
    LevelBandwidths levels = LevelBandwidths.of(Scene.RACKS, Map.of("rack", 400_000L));
    Link rail =
        new Link(
            new Vertex.Node("n1"), new Vertex.Domain(new DomainPath(List.of("b1", "r1"))), 800_000);
    return Scene.RACKS.with(new Locality(levels, new Interconnect(List.of(rail))));
  }

  /// One gang starts and ends, one is too big, one names an unknown level, and one is released. A
  /// lone pod with many constraints follows, then every event that is still missing.
  private static List<Event> story() {
    Scene scene =
        Scene.of(
            """
            b1/r1: n1[....] n2[##..]
            b1/r2: n3:P4[....]!
            """);
    scene.arrives(GangDraft.gang("fits").of(2, 2).within("rack"));
    scene.arrives(GangDraft.gang("waits").of(1, 8));
    scene.arrives(GangDraft.gang("misled").of(1, 1).within("rock"));
    scene.silent().ends("fits").arrives(GangDraft.gang("late").of(1, 4).priority(7));
    scene.after(Duration.ofSeconds(1));
    scene.then(new Event.Tick(scene.now().plus(Duration.ofMinutes(3))));
    picky(scene);
    return rest(scene).told();
  }

  private static void picky(Scene scene) {
    MemberId pod = new MemberId("ml", "picky", "5f0c");
    GangId gang = new GangId("ml", GangId.Origin.POD, "picky");
    scene.then(
        new Event.GangSeen(
            scene.now(),
            GangSpec.of(gang, 1, "research", scene.now())
                .prior(Optional.of(5))
                .wishing(
                    new GangConstraints(
                        new TopologyConstraint(
                            Optional.empty(),
                            Optional.of("block"),
                            Optional.of(new Slices(2, "rack")),
                            TopologyConstraint.Layout.BALANCED),
                        new GpuModelPreference(List.of("H100", "A100"), true),
                        Optional.of(Duration.ofHours(3))))
                .gatheringWithin(Optional.of(Duration.ofSeconds(90)))
                .running("ml/picky")
                .recording(SortedTable.<MemberId, NodeId>empty().with(pod, new NodeId("n2")))));
    Member member =
        new Member(
            pod,
            gang,
            0,
            0,
            wishes(),
            GangConstraints.NONE,
            new MemberState.Held(true),
            scene.now());
    scene.becomes(member, member.state());
    scene.becomes(member, new MemberState.Waiting(Optional.empty(), true));
    scene.becomes(member, new MemberState.Leaving(Optional.of(new NodeId("n2"))));
  }

  private static Request wishes() {
    return new Request(
        Resources.of("nvidia.com/gpu", 1),
        1,
        0,
        new NodeSelection(
            List.of(new Requirement("disk", Requirement.Operator.IN, List.of("ssd"))),
            List.of(List.of(new Requirement("spot", Requirement.Operator.EXISTS, List.of()))),
            List.of(
                new Toleration(
                    Optional.of("spot"), Optional.empty(), Optional.of(Effect.NO_SCHEDULE)))),
        true);
  }

  private static Scene rest(Scene scene) {
    GangId gang = GangDraft.gang("late").id();
    MemberId member = GangDraft.gang("late").of(1, 4).members().getFirst().id();
    NodeId node = new NodeId("n1");
    return scene
        .then(new Event.ReservationNotWritten(scene.now(), gang, "409 Conflict \u2013 \"late\""))
        .then(new Event.MemberStarted(scene.now(), gang, member, node))
        .then(new Event.MemberNotStarted(scene.now(), gang, member, node, "404 Not Found"))
        .then(new Event.VictimsRecorded(scene.now(), gang))
        .then(new Event.VictimsNotRecorded(scene.now(), gang, "500"))
        .then(new Event.VictimTold(scene.now(), gang))
        .then(new Event.MemberNotEvicted(scene.now(), gang, member, true, "429"))
        .then(new Event.PolicyChanged(scene.now(), "0123456789ab"))
        .then(new Event.UnmanagedPodGone(scene.now(), Scene.unmanagedPod("n2")))
        .then(new Event.GangGone(scene.now(), gang))
        .then(new Event.NodeGone(scene.now(), node))
        .then(new Event.StartDelayed(scene.now(), gang, scene.now()))
        .then(
            new Event.DiscrepanciesSeen(
                scene.now(),
                gang,
                new Discrepancies(
                    Optional.of("The field x is (y)."),
                    new TreeMap<>(Map.of("default-scheduler", 2)),
                    1,
                    Optional.of("late-3: wrong"))))
        .then(
            new Event.GangChanged(
                scene.now(),
                gang,
                List.of(
                    new Event.MemberGone(scene.now(), gang, member),
                    new Event.GangGone(scene.now(), gang))))
        .then(
            new Event.BudgetsSpent(
                scene.now(),
                List.of(
                    new SpentBudget(
                        BudgetOwner.queue("research"), 12, 10, scene.now().plusSeconds(60)))));
  }

  private static String golden() throws IOException {
    try (InputStream in = GoldenJournalTest.class.getResourceAsStream(GOLDEN)) {
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
