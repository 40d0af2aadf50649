package dev.muster.core.kit;

import dev.muster.core.collect.SortedTable;
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
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Slices;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.gang.TopologyConstraint.Layout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A gang as a test describes it: `gang("llm").of(4, 8).within("rack")`.
public final class GangDraft {
  private final GangId id;
  private final List<Request> requests = new ArrayList<>();
  private int minCount = -1;
  private Optional<Integer> maxCount = Optional.empty();
  private Optional<Duration> runtime = Optional.empty();
  private String lineage = "";
  private String queue = "ml";
  private int priority;
  private Optional<String> required = Optional.empty();
  private Optional<String> preferred = Optional.empty();
  private Optional<Slices> slices = Optional.empty();
  private Layout layout = Layout.PACKED;
  private GpuModelPreference gpus = GpuModelPreference.ANY;
  private NodeSelection selection = NodeSelection.ANY;
  private boolean onePerNode;
  private Optional<Long> cores = Optional.empty();
  private GangConstraints memberWishes = GangConstraints.NONE;
  private Instant createdAt = Scene.START;
  private SortedTable<MemberId, NodeId> recorded = SortedTable.empty();

  private GangDraft(String namespace, String name) {
    this.id = new GangId(namespace, GangId.Origin.POD_GROUP, name);
  }

  /// A gang without members yet.
  public static GangDraft gang(String name) {
    return gang("ml", name);
  }

  /// A gang of this namespace without members yet.
  public static GangDraft gang(String namespace, String name) {
    return new GangDraft(namespace, name);
  }

  /// Adds members of so many GPUs each, with one core and 1 GiB per GPU and one core more.
  public GangDraft of(int members, int gpusEach) {
    for (int i = 0; i < members; i++) {
      Resources resources =
          Resources.of(
              Map.of(
                  "nvidia.com/gpu",
                  (long) gpusEach,
                  "cpu",
                  1000L * cores.orElse(1L + gpusEach),
                  "memory",
                  (1L + gpusEach) << 30,
                  "pods",
                  1L));
      requests.add(new Request(resources, gpusEach, 0, selection, onePerNode));
    }
    return this;
  }

  /// Adds members that share a GPU, of which each takes so many thousandths.
  public GangDraft ofParts(int members, int gpuMilli) {
    for (int i = 0; i < members; i++) {
      Resources resources = Resources.of(Map.of("cpu", 1000L, "memory", 1L << 30, "pods", 1L));
      requests.add(new Request(resources, 0, gpuMilli, selection, onePerNode));
    }
    return this;
  }

  public GangDraft minCount(int count) {
    minCount = count;
    return this;
  }

  /// The queue that the object names.
  public GangDraft queue(String name) {
    queue = name;
    return this;
  }

  public GangDraft priority(int value) {
    priority = value;
    return this;
  }

  /// All within one domain of the level.
  public GangDraft within(String level) {
    required = Optional.of(level);
    return this;
  }

  /// All within one domain of the level if possible.
  public GangDraft near(String level) {
    preferred = Optional.of(level);
    return this;
  }

  /// Every `size` members inside one domain of the level.
  public GangDraft sliced(int size, String level) {
    slices = Optional.of(new Slices(size, level));
    return this;
  }

  /// Shared out evenly.
  public GangDraft balanced() {
    layout = Layout.BALANCED;
    return this;
  }

  /// Sets the constraints in the pods' own annotations.
  public GangDraft podsWish(GangConstraints constraints) {
    memberWishes = constraints;
    return this;
  }

  /// It says how long it runs.
  public GangDraft running(Duration time) {
    runtime = Optional.of(time);
    return this;
  }

  /// It is one run of this work.
  public GangDraft of(String work) {
    lineage = work;
    return this;
  }

  public GangDraft upTo(int members) {
    maxCount = Optional.of(members);
    return this;
  }

  public GangDraft on(GpuModelPreference choice) {
    gpus = choice;
    return this;
  }

  /// For the members added from now on.
  public GangDraft selecting(NodeSelection nodes) {
    selection = nodes;
    return this;
  }

  /// For the members added from now on.
  public GangDraft onePerNode() {
    onePerNode = true;
    return this;
  }

  /// For the members added from now on.
  public GangDraft cores(long each) {
    cores = Optional.of(each);
    return this;
  }

  public GangDraft createdAt(Instant at) {
    createdAt = at;
    return this;
  }

  /// The object says that this node was promised to the member.
  public GangDraft recorded(int rank, String node) {
    recorded = recorded.with(member(rank, "").id(), new NodeId(node));
    return this;
  }

  public GangId id() {
    return id;
  }

  public GangSpec spec() {
    return GangSpec.of(id, minCount < 0 ? requests.size() : minCount, queue, createdAt)
        .upTo(maxCount)
        .wishing(
            new GangConstraints(
                new TopologyConstraint(required, preferred, slices, layout), gpus, runtime))
        .running(lineage)
        .recording(recorded);
  }

  /// The members, held by our gate.
  public List<Member> members() {
    List<Member> members = new ArrayList<>();
    for (int rank = 0; rank < requests.size(); rank++) {
      members.add(member(rank, ""));
    }
    return members;
  }

  /// One member; the suffix tells a replacement from the pod it replaces.
  public Member member(int rank, String suffix) {
    String name = id.name() + "-" + rank;
    return new Member(
        new MemberId(id.namespace(), name, name + suffix),
        id,
        rank,
        priority,
        requests.get(rank),
        memberWishes,
        new MemberState.Held(false),
        createdAt);
  }
}
