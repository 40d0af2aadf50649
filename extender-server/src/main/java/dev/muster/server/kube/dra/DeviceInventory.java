package dev.muster.server.kube.dra;

import dev.muster.core.gang.Resources;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.dra.CountedSelection.Evaluation;
import dev.muster.server.kube.dra.cel.DeviceExpressionCompiler;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/// Counts GPUs from the objects of Dynamic Resource Allocation.
///
/// - ResourceSlices: the GPUs of each node.
/// - ResourceClaims: the pods that hold GPUs.
/// - Claims and their templates: the number of GPUs that a pod requests.
///
/// kube-scheduler's own plugin allocates the devices, after Muster has chosen the node. Here they
/// are only counted, as the extended resource of their vendor (`nvidia.com/gpu`), as if the pod had
/// requested it. GPUs that match the selectors of claims are counted a second time, as a separate
/// resource ([DeviceSelections]). A pod whose resource request kube-scheduler turns into a claim is
/// counted once, by its request.
///
/// Safe for use by several threads. Keys are `namespace/name`, or `name`.
public final class DeviceInventory {
  /// Number of nodes that are read again in a second because selections changed. More would delay
  /// other work, since claims of tenants cause it.
  public static final int NODES_AT_A_TIME = 500;

  /// Seconds after which refused selections get another attempt.
  static final int RENEWAL = 60;

  /// CPU time in a second for reading claims again, and for evaluating selectors, in nanoseconds.
  private static final long AGAIN_NANOS = 100_000_000;

  /// CPU time for reading claims again at once, because a device class changed.
  private static final long AT_ONCE_NANOS = 1_000_000_000;

  /// CPU time for one selection, after which another one, or another namespace, may be next.
  private static final long TURN_NANOS = 5_000_000;

  private final GpuDeviceClasses offers;
  private final DeviceExpressionCompiler language = new DeviceExpressionCompiler();
  private final SlicePools pools = new SlicePools();
  private final DeviceSelections selections;
  private final ClaimObjects objects;
  private final ClaimSelections noted;
  private final GpuAllocations allocations;
  private final ClaimSharers sharers = new ClaimSharers();
  private final ClaimResolution resolution;
  private final TreeSet<String> selectedAnew = new TreeSet<>();

  private final LongSupplier cpuNanos;

  private int seconds = RENEWAL;
  private String lastSelected = "";
  private volatile boolean served = true;

  public DeviceInventory(List<String> accelerators) {
    this(accelerators, SelectionTime::cpuNanos);
  }

  /// @param cpuNanos CPU time of the calling thread, which bounds the work for claims of tenants
  public DeviceInventory(List<String> accelerators, LongSupplier cpuNanos) {
    this.cpuNanos = cpuNanos;
    offers = new GpuDeviceClasses(accelerators);
    selections = new DeviceSelections(offers, pools);
    objects = new ClaimObjects(offers);
    noted = new ClaimSelections(objects::selections);
    allocations = new GpuAllocations(offers, selections, pools);
    resolution = new ClaimResolution(offers, selections, objects, allocations, sharers);
  }

  /// True if devices of the driver are GPUs.
  public boolean areGpusOf(String driver) {
    return offers.acceleratorOf(driver).isPresent();
  }

  private boolean isOfGpus(ResourceSlice slice) {
    return areGpusOf(slice.getSpec().getDriver());
  }

  /// Records if the cluster serves the API version; true if that changed.
  public synchronized boolean served(boolean now) {
    boolean isNews = now != served;
    served = now;
    return isNews;
  }

  // ---- Objects seen; each method returns the nodes to read again ----

  /// Records the current state of a slice; empty if it is deleted.
  public synchronized Set<String> slice(String name, Optional<ResourceSlice> slice) {
    Optional<GpuSlice> read =
        slice.filter(GpuSlice::isComplete).filter(this::isOfGpus).map(GpuSlice::of);
    Optional<GpuSlice> before = pools.get(name);
    if (read.equals(before)) {
      return Set.of();
    }
    if (read.isEmpty()) {
      selections.forget(name);
    }
    return pools.put(name, read);
  }

  /// Records the current state of a claim; empty if it is deleted.
  ///
  /// @return the nodes to read again; absent if nothing relevant changed
  public synchronized Optional<Set<String>> claim(String key, Optional<ResourceClaim> claim) {
    Optional<ResourceClaim> before = objects.put(key, claim);
    if (before.map(ClaimObjects::relevant).equals(claim.map(ClaimObjects::relevant))) {
      return Optional.empty();
    }
    before
        .filter(old -> claim.filter(now -> ClaimObjects.isSame(old, now)).isEmpty())
        .ifPresent(deleted -> sharers.deleted(key, deleted));
    note(key, claim.map(ResourceClaim::getSpec));
    return Optional.of(allocations.hold(key, before, claim));
  }

  /// Records the current state of a template, empty if it is deleted.
  ///
  /// @return true if its request changed; the metadata also change for other reasons
  public synchronized boolean template(String key, Optional<ResourceClaimTemplate> template) {
    boolean isNews = objects.template(key, template);
    if (isNews) {
      note(key + ClaimObjects.TEMPLATE, objects.template(key));
    }
    return isNews;
  }

  /// Records the current state of a device class, empty if it is deleted.
  ///
  /// @return true if its spec changed
  public boolean deviceClass(String name, Optional<DeviceClass> known) {
    boolean isNews = changed(name, known);
    if (isNews) {
      visit(AT_ONCE_NANOS);
    }
    return isNews;
  }

  private synchronized boolean changed(String name, Optional<DeviceClass> known) {
    boolean isNews = objects.deviceClass(name, known);
    if (isNews) {
      noted.classesChanged();
    }
    return isNews;
  }

  private void note(String key, Optional<ResourceClaimSpec> spec) {
    noted.put(key, spec);
    select(key);
  }

  /// Starts counting the GPUs that match the selectors of the claim. They are evaluated later.
  private void select(String key) {
    for (DeviceSelection selection : noted.of(key)) {
      selections.add(selection, ClaimSelections.namespace(key));
    }
  }

  /// Evaluates selectors for a tenth of a second, and counts refused selections if others are
  /// unused by now. To be called every second, by one thread at a time.
  ///
  /// The work is done in parts of some milliseconds. Other methods wait for none of them.
  ///
  /// @return true if the counted selections changed: pods with claims must be read again
  public boolean selectAgain() {
    return selectAgain(AGAIN_NANOS);
  }

  /// Does the work of [#selectAgain], where nothing can go on before.
  ///
  /// @param most CPU time for reading claims again, and for evaluating selectors
  public boolean selectFor(Duration most) {
    return selectAgain(most.toNanos());
  }

  private boolean selectAgain(long nanos) {
    boolean added = !renewed() && visit(nanos);
    return evaluate(nanos) || added;
  }

  /// Drops unused selections, if others were refused and some time has passed.
  private synchronized boolean renewed() {
    seconds++;
    if (seconds < RENEWAL || !selections.refused() || !noted.isVisited()) {
      return false;
    }
    seconds = 0;
    selectedAnew.addAll(selections.prune(noted::users));
    noted.visitAll();
    return true; // enough for a second
  }

  /// Visits the next claims for this time. The others are visited in the next seconds.
  private boolean visit(long nanos) {
    SelectionTime time = new SelectionTime(cpuNanos, nanos);
    boolean isNews = false;
    boolean isVisited = false;
    while (!isVisited && !time.isOver()) {
      synchronized (this) {
        int before = selections.changes();
        noted.next().ifPresent(this::select);
        isNews |= selections.changes() > before;
        isVisited = noted.isVisited();
      }
    }
    return isNews;
  }

  /// Evaluates selectors for this time, without the lock of other methods.
  private boolean evaluate(long nanos) {
    SelectionTime time = new SelectionTime(cpuNanos, nanos);
    boolean isNews = false;
    Optional<Evaluation> next = next();
    while (next.isPresent() && !time.isOver()) {
      isNews |= turn(next.get());
      next = next();
    }
    return isNews;
  }

  private synchronized Optional<Evaluation> next() {
    return selections.next();
  }

  /// Evaluates one selection, slice by slice, until its turn is over or all slices are done. The
  /// choice among 100 selections can take longer than the evaluation for a slice.
  private boolean turn(Evaluation first) {
    SelectionTime turn = new SelectionTime(cpuNanos, TURN_NANOS);
    boolean isNews = false;
    boolean isOver = false;
    Optional<Evaluation> next = Optional.of(first);
    while (next.isPresent() && !isOver) {
      long before = turn.used();
      isOver = next.get().run(language, turn);
      isNews |= evaluated(next.get(), turn.used() - before);
      next = after(next.get());
    }
    return isNews;
  }

  private synchronized Optional<Evaluation> after(Evaluation last) {
    return selections.after(last);
  }

  /// Records a result; true if the selection is left to kube-scheduler by now.
  private synchronized boolean evaluated(Evaluation evaluation, long nanos) {
    int before = selections.changes();
    selectedAnew.addAll(selections.evaluated(evaluation, nanos));
    selectedAnew.remove(GpuSlice.NO_NODE);
    return selections.changes() > before;
  }

  /// Returns a sentence for each selection that does not count, or not for all GPUs so far. It
  /// names a claim and the reason. For callers that read objects once.
  public synchronized List<String> uncounted() {
    return noted.problems(selections::problem);
  }

  /// Returns, once, the next nodes to read again because the selectors of claims changed, in turn.
  /// Their pods must be read again too.
  ///
  /// @param most number of nodes that are returned at most
  public synchronized Set<String> selectedAnew(int most) {
    Set<String> nodes = new TreeSet<>();
    while (nodes.size() < most && !selectedAnew.isEmpty()) {
      lastSelected =
          Objects.requireNonNullElseGet(selectedAnew.higher(lastSelected), selectedAnew::first);
      selectedAnew.remove(lastSelected);
      nodes.add(lastSelected);
    }
    return nodes;
  }

  // ---- GPUs of nodes and pods ----

  /// Returns the GPUs that slices offer on the node.
  public synchronized NodeGpus of(String node) {
    return allocations.of(node);
  }

  /// Records the current state of a pod, and returns its GPUs as [#claimedBy] does. To be called in
  /// the order of the pod's changes, and not after [#noPod].
  public synchronized ReadResult<Resources> pod(Pod pod) {
    sharers.seen(pod, isOver(pod));
    return claimedBy(pod);
  }

  /// Returns the GPUs that a pod holds or requests by claims, as extended resources. The result is
  /// a problem if their number is unknown.
  public synchronized ReadResult<Resources> claimedBy(Pod pod) {
    return ReadResult.of(pod, () -> resolution.gpus(pod, served));
  }

  private static boolean isOver(Pod pod) {
    String phase = pod.getStatus() == null ? "" : String.valueOf(pod.getStatus().getPhase());
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  /// Records that the pod `namespace/name` is gone, so that another pod may have its claims.
  public synchronized void noPod(String key) {
    sharers.gone(key);
  }

  /// Returns, once, the claims that a finished or deleted pod left to others. The pods that name
  /// them must be read again.
  public synchronized Set<String> freed() {
    return sharers.freed();
  }

  /// True if the pod may take GPUs that are not counted for another pod, also if their number is
  /// unknown.
  public synchronized boolean mayTakeGpus(Pod pod) {
    return served && resolution.mayTakeGpus(pod);
  }

  /// True if a new pod with these claims and templates may take GPUs, as far as they are known. One
  /// that does not exist may be for GPUs.
  ///
  /// Never blocks: the webhook calls it on a thread that serves other requests.
  public boolean mayTakeGpus(
      String namespace, Collection<String> claims, Collection<String> templates) {
    String prefix = namespace + "/";
    return served
        && (claims.stream()
                .map(name -> Optional.of(prefix + name))
                .anyMatch(
                    claim -> resolution.mayTakeGpus(claim, Optional.empty(), resolution::isTaken))
            || templates.stream()
                .map(name -> Optional.of(prefix + name))
                .anyMatch(
                    template -> resolution.mayTakeGpus(Optional.empty(), template, _ -> false)));
  }
}
