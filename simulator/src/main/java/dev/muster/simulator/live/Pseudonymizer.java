package dev.muster.simulator.live;

import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.budget.SpentBudget;
import dev.muster.core.cluster.Event;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Discrepancies;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.Victim;
import dev.muster.core.node.Node;
import dev.muster.core.topology.Interconnect;
import dev.muster.core.topology.Locality;
import dev.muster.policy.journal.JournalHeader;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Replaces names by the first 64 bits of their HMAC-SHA-256.
///
/// Equal names stay equal, so that queues, users and selectors keep their meaning. Without the key,
/// names cannot be found by trying.
///
/// - Hashed: names of namespaces, gangs, pods, nodes, queues and owners.
/// - Hashed: values of labels, taints and selectors, except numbers, `true` and `false`.
/// - Kept: keys of labels and taints, GPU models and topology levels.
/// - Kept: names of resources, except the selectors of claims.
/// - Left out: links between nodes. They contain names, and their bandwidths are useless without
///   these.
public final class Pseudonymizer {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final int SHOWN_BYTES = 8;
  private static final Pattern PLAIN = Pattern.compile("-?\\d{1,18}|true|false|");

  private final Mac mac;

  /// Hashes with a given key.
  Pseudonymizer(byte[] key) {
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("This JDK has no " + ALGORITHM, e); // every JDK has it
    }
  }

  /// Hashes with a random key that is not stored.
  public static Pseudonymizer random() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return new Pseudonymizer(key);
  }

  String name(String name) {
    byte[] code = mac.doFinal(name.getBytes(StandardCharsets.UTF_8));
    return name.isEmpty() ? "" : "x" + HexFormat.of().formatHex(code, 0, SHOWN_BYTES);
  }

  private String value(String value) {
    return PLAIN.matcher(value).matches() ? value : name(value);
  }

  /// Returns the header with hashed queue names, without settings that contain names.
  public JournalHeader of(JournalHeader header) {
    List<Queue> queues = header.queues().byName().values().stream().map(this::of).toList();
    SortedMap<String, String> settings = new TreeMap<>(header.policies());
    settings.keySet().removeIf(key -> key.startsWith(LiveExport.PRIORITY_CLASS));
    Queues hashed =
        queues.isEmpty() ? header.queues() : Queues.of(queues, header.queues().halfLife());
    Locality nameless = new Locality(header.topology().locality().levels(), Interconnect.NONE);
    return new JournalHeader(header.topology().with(nameless), settings, hashed);
  }

  private Queue of(Queue queue) {
    return new Queue(
        name(queue.name()),
        queue.weight(),
        queue.namespaces().stream().map(this::name).toList(),
        queue.priorityCeiling(),
        queue.guaranteed(),
        queue.maximum());
  }

  /// Returns the fact with hashed names; absent for events that are not facts of an export.
  public Optional<Event> of(Event event) {
    return Optional.ofNullable(
        switch (event) {
          case Event.NodeSeen(var at, Node node) -> new Event.NodeSeen(at, of(node));
          case Event.NodeGone(var at, NodeId node) -> new Event.NodeGone(at, of(node));
          case Event.GangFact fact -> of(fact);
          case Event.GangChanged(var at, GangId gang, var facts) ->
              new Event.GangChanged(at, of(gang), facts.stream().map(this::of).toList());
          case Event.UnmanagedPodSeen(var at, MemberId pod, NodeId node, var resources, int gpus) ->
              new Event.UnmanagedPodSeen(at, of(pod), of(node), of(resources), gpus);
          case Event.UnmanagedPodGone(var at, MemberId pod) ->
              new Event.UnmanagedPodGone(at, of(pod));
          case Event.Synced synced -> synced;
          case Event.BudgetsSpent(var at, var budgets) ->
              new Event.BudgetsSpent(at, budgets.stream().map(this::of).toList());
          case Event.Tick _, Event.PolicyChanged _, Event.Outcome _ -> null;
        });
  }

  private SpentBudget of(SpentBudget budget) {
    BudgetOwner owner = budget.owner();
    BudgetOwner hashed =
        switch (owner.kind()) {
          case QUEUE -> BudgetOwner.queue(name(owner.name()));
          case PROJECT -> BudgetOwner.project(value(owner.name()));
        };
    return new SpentBudget(hashed, budget.usedGpuHours(), budget.gpuHours(), budget.until());
  }

  private Event.GangFact of(Event.GangFact fact) {
    return switch (fact) {
      case Event.GangSeen(var at, GangSpec spec) -> new Event.GangSeen(at, of(spec));
      case Event.GangGone(var at, GangId gang) -> new Event.GangGone(at, of(gang));
      case Event.MemberSeen(var at, Member member) -> new Event.MemberSeen(at, of(member));
      case Event.MemberGone(var at, GangId gang, MemberId pod) ->
          new Event.MemberGone(at, of(gang), of(pod));
      case Event.DiscrepanciesSeen(var at, GangId gang, var found) ->
          new Event.DiscrepanciesSeen(at, of(gang), of(found));
    };
  }

  /// Hashes the selectors in the resource names of claims.
  ///
  /// Such a name has a blank, and the selector follows it.
  private Resources of(Resources resources) {
    Map<String, Long> hashed = new TreeMap<>();
    resources
        .asMap()
        .forEach((name, amount) -> {
          int behind = name.indexOf(' ') + 1;
          hashed.put(
              behind == 0 ? name : name.substring(0, behind) + name(name.substring(behind)),
              amount);
        });
    return Resources.of(hashed);
  }

  private NodeId of(NodeId node) {
    return new NodeId(name(node.name()));
  }

  private GangId of(GangId gang) {
    return new GangId(name(gang.namespace()), gang.origin(), name(gang.name()));
  }

  /// Keeps only the numbers of pods. The texts quote values of the objects.
  private Discrepancies of(Discrepancies found) {
    SortedMap<String, Integer> schedulers = new TreeMap<>();
    found.schedulers().forEach((scheduler, pods) -> schedulers.put(name(scheduler), pods));
    return new Discrepancies(
        found.declaration().map(this::name),
        schedulers,
        found.invalidPods(),
        found.invalidPod().map(this::name));
  }

  private MemberId of(MemberId pod) {
    return new MemberId(name(pod.namespace()), name(pod.name()), name(pod.uid()));
  }

  private SortedMap<String, String> of(SortedMap<String, String> labels) {
    SortedMap<String, String> hashed = new TreeMap<>();
    labels.forEach((key, value) -> hashed.put(key, value(value)));
    return hashed;
  }

  private Node of(Node node) {
    return new Node(
        of(node.id()),
        of(node.labels()),
        of(node.allocatable()),
        node.gpus(),
        node.model(),
        node.taints().stream().map(t -> new Taint(t.key(), value(t.value()), t.effect())).toList(),
        node.cordoned(),
        node.faults(),
        node.freeGpus());
  }

  private GangSpec of(GangSpec spec) {
    SortedTable<MemberId, NodeId> recorded = SortedTable.empty();
    for (MemberId pod : spec.recorded().keys()) {
      recorded = recorded.with(of(pod), of(spec.recorded().get(pod).orElseThrow()));
    }
    return new GangSpec(
        of(spec.id()),
        spec.minCount(),
        spec.maxCount(),
        name(spec.queue()),
        spec.priority(),
        spec.wishes(),
        spec.patience(),
        name(spec.lineage()),
        spec.createdAt(),
        recorded,
        of(spec.labels()),
        of(spec.preemption()),
        spec.past());
  }

  private PreemptionRecord of(PreemptionRecord record) {
    SortedTable<GangId, Victim> victims = SortedTable.empty();
    for (Victim victim : record.victims()) {
      SortedKeys<MemberId> leaving = SortedKeys.empty();
      for (MemberId pod : victim.members()) {
        leaving = leaving.with(of(pod));
      }
      GangId gang = of(victim.gang());
      victims =
          victims.with(gang, new Victim(gang, leaving, name(victim.rule()), victim.lostWork()));
    }
    return new PreemptionRecord(
        victims,
        record.stopped(),
        record
            .notice()
            .map(notice -> new PreemptionRecord.Notice(of(notice.by()), notice.deadline())));
  }

  private Member of(Member member) {
    return new Member(
        of(member.id()),
        of(member.gang()),
        member.rank(),
        member.priority(),
        of(member.request()),
        member.wishes(),
        of(member.state()),
        member.createdAt(),
        member.report().charging(member.report().chargedQueue().map(this::name)));
  }

  private MemberState of(MemberState state) {
    return switch (state) {
      case MemberState.Held _ -> state;
      case MemberState.Ended(boolean succeeded, _) -> new MemberState.Ended(succeeded);
      case MemberState.Waiting(var nominated, boolean refused, _, _) ->
          new MemberState.Waiting(nominated.map(this::of), refused);
      case MemberState.Bound(NodeId node, var since) -> new MemberState.Bound(of(node), since);
      case MemberState.Leaving(var node, var due) ->
          new MemberState.Leaving(node.map(this::of), due);
    };
  }

  private Request of(Request request) {
    NodeSelection selection = request.selection();
    NodeSelection hashed =
        new NodeSelection(
            selection.all().stream().map(this::of).toList(),
            selection.anyOf().stream().map(t -> t.stream().map(this::of).toList()).toList(),
            selection.tolerations().stream()
                .map(t -> new Toleration(t.key(), t.value().map(this::value), t.effect()))
                .toList(),
            selection.preferred().stream()
                .map(t -> new PreferredTerm(t.weight(), t.all().stream().map(this::of).toList()))
                .toList());
    return new Request(
        of(request.resources()), request.gpus(), request.gpuMilli(), hashed, request.onePerNode());
  }

  private Requirement of(Requirement requirement) {
    boolean named = requirement.key().equals(Requirement.NODE_NAME);
    return new Requirement(
        requirement.key(),
        requirement.operator(),
        requirement.values().stream().map(v -> named ? name(v) : value(v)).toList());
  }
}
