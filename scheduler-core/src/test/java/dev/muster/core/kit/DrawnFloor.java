package dev.muster.core.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.admission.QuotaGate;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.Assignment;
import dev.muster.core.node.Hold;
import dev.muster.core.node.Node;
import dev.muster.core.node.NodeState;
import dev.muster.core.node.NodeState.NodeShare;
import dev.muster.core.placement.PlacementSearch;
import dev.muster.core.placement.request.SearchResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/// A drawn cluster with queues, on which gangs start by the gate's rules alone, without the engine.
public final class DrawnFloor {
  private final QuotaGate gate;
  private Cluster cluster;

  private DrawnFloor(Cluster cluster, Queues queues) {
    this.cluster = cluster;
    this.gate = new QuotaGate(queues);
  }

  /// A drawn cluster, as [Scene] has them, with these queues.
  public static DrawnFloor of(String drawing, Queue... queues) {
    Queues all = Queues.of(List.of(queues));
    return new DrawnFloor(Scene.of(drawing).cluster().under(all.namespaces()), all);
  }

  public Cluster cluster() {
    return cluster;
  }

  public Instant now() {
    return cluster.now();
  }

  public DrawnFloor then(Event event) {
    cluster = cluster.apply(event);
    return this;
  }

  public DrawnFloor arrives(GangDraft gang) {
    then(new Event.GangSeen(now(), gang.spec()));
    gang.members().forEach(member -> then(new Event.MemberSeen(now(), member)));
    return this;
  }

  /// Why the gate refuses the gang now.
  public Optional<Veto> refusal(String gang) {
    return gate.veto(cluster, gang(gang));
  }

  /// Starts all that wait, if gate and room allow; whether they did.
  public boolean starts(String gang) {
    return startsWith(gang, gang(gang).waiting().size());
  }

  /// The gate's upper bound of the number of members that may start.
  public int most(String name) {
    Gang gang = gang(name);
    return gate.most(cluster, gate.narrowed(cluster, gang), cluster.unpromised(gang));
  }

  /// Starts so many of those that wait, if gate and room allow; whether they did.
  public boolean startsWith(String name, int members) {
    Gang gang = gang(name);
    List<Member> waiting =
        gang.waiting().stream().filter(m -> cluster.promise(m).isEmpty()).limit(members).toList();
    if (waiting.isEmpty() || !gang.isComplete() || gate.veto(cluster, gang).isPresent()) {
      return false;
    }
    SearchResult result =
        PlacementSearch.search(cluster, gate.narrowed(cluster, gang), waiting, SortedKeys.empty());
    boolean starts =
        result instanceof SearchResult.Found found
            && gate.veto(cluster, gang, found.placement()).isEmpty();
    if (starts && result instanceof SearchResult.Found found) {
      cluster = cluster.with(reserved(gang.id(), found));
    }
    return starts;
  }

  private Reservation reserved(GangId gang, SearchResult.Found found) {
    Reservation reservation =
        cluster.reservations().get(gang).orElse(Reservation.open(gang, now(), now()));
    for (Assignment assignment : found.placement().assignments()) {
      reservation =
          reservation.with(Promise.keep(assignment.member().id(), assignment.node(), now()));
    }
    return reservation;
  }

  /// All of the gang is gone; the queues that this frees.
  public SortedSet<String> ends(String gang) {
    Cluster before = cluster;
    GangId id = gang(gang).id();
    for (MemberId member : gang(gang).members().keys()) {
      then(new Event.MemberGone(now(), id, member));
    }
    then(new Event.GangGone(now(), id));
    cluster = cluster.without(id);
    return gate.freed(before, cluster);
  }

  /// Keeps GPUs of a node for a gang, for which these victims are being stopped there.
  public DrawnFloor vacates(String preemptor, String node, int gpus, String... victims) {
    SortedKeys<MemberId> leavers = SortedKeys.empty();
    for (String victim : victims) {
      leavers = leavers.withAll(SortedKeys.of(List.copyOf(gang(victim).members().keys())));
    }
    Hold.Share share =
        new Hold.Share(new NodeShare(Resources.of("nvidia.com/gpu", gpus), gpus), leavers);
    cluster =
        cluster.with(
            new Hold(
                gang(preemptor).id(),
                Hold.Kind.VACATING,
                Optional.empty(),
                now(),
                SortedTable.<NodeId, Hold.Share>empty().with(new NodeId(node), share)));
    return this;
  }

  /// The gang is without hope, or has it again; the queues that this frees.
  public SortedSet<String> hopeless(String gang, boolean without) {
    Cluster before = cluster;
    cluster = cluster.hopeless(gang(gang).id(), without);
    return gate.freed(before, cluster);
  }

  public void cordons(String name, boolean cordoned) {
    Node node = cluster.nodes().get(new NodeId(name)).orElseThrow().node();
    then(
        new Event.NodeSeen(
            now(),
            new Node(
                node.id(),
                node.labels(),
                node.allocatable(),
                node.gpus(),
                node.model(),
                node.taints(),
                cordoned,
                node.faults())));
  }

  /// Some gang.
  public Optional<String> any(Random random) {
    List<Gang> gangs = cluster.gangs().values();
    return gangs.isEmpty()
        ? Optional.empty()
        : Optional.of(gangs.get(random.nextInt(gangs.size())).id().name());
  }

  /// The models of the nodes promised to the gang's members, in the order of these.
  public List<String> modelsOf(String gang) {
    List<String> models = new ArrayList<>();
    for (Member member : gang(gang).members()) {
      cluster.promise(member).ifPresent(p -> models.add(state(p.node()).node().model().name()));
    }
    return models;
  }

  private NodeState state(NodeId node) {
    return cluster.nodes().get(node).orElseThrow();
  }

  /// Fails if the change opens a model to a waiting gang without freeing its queue.
  public void checked(Runnable change) {
    Cluster before = cluster;
    change.run();
    SortedSet<String> freed = gate.freed(before, cluster);
    for (Gang gang : cluster.gangs()) {
      Optional<Gang> same = before.gangs().get(gang.id()).filter(gang::equals);
      boolean untouched =
          same.isPresent()
              && before.reservations().get(gang.id()).equals(cluster.reservations().get(gang.id()));
      if (untouched && waits(gang) && !freed.contains(gang.queue())) {
        assertThat(open(before, gang).keySet())
            .as("%s (%s) was not freed: %s", gang.id(), gang.queue(), freed)
            .containsAll(open(cluster, gang).keySet());
      }
    }
  }

  private boolean waits(Gang gang) {
    return gang.isComplete()
        && gang.waiting().stream().anyMatch(member -> cluster.promise(member).isEmpty());
  }

  private SortedMap<String, Boolean> open(Cluster image, Gang gang) {
    SortedMap<String, Boolean> open = new TreeMap<>();
    if (gate.veto(image, gang).isEmpty()) {
      Gang narrowed = gate.narrowed(image, gang);
      for (String model : image.ledger().supply().keys()) {
        if (narrowed.constraints().gpus().accepts(model)) {
          open.put(model, true);
        }
      }
    }
    return open;
  }

  /// Fails if the queue uses more than its maximum.
  public void checkMaximum(Queue queue) {
    var account = cluster.ledger().account(queue.name());
    queue.maximum().gpus().ifPresent(max -> assertThat(account.inUse()).isLessThanOrEqualTo(max));
    queue
        .maximum()
        .models()
        .forEach((model, max) -> assertThat(account.inUse(model::equals)).isLessThanOrEqualTo(max));
  }

  private Gang gang(String name) {
    return cluster.gang(GangDraft.gang(name).id());
  }
}
