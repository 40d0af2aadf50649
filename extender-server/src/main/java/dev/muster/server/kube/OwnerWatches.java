package dev.muster.server.kube;

import dev.muster.server.kube.act.KeyedExecutor;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.owner.OwnerEnds;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.owner.WantedPodGroup;
import dev.muster.server.kube.owner.kind.OwnerKind;
import dev.muster.server.kube.owner.kind.OwnerKinds;
import dev.muster.server.kube.owner.kind.OwnerKinds.OwnerKey;
import dev.muster.server.kube.watch.ObjectProblems;
import dev.muster.server.kube.watch.OwnerWatch;
import dev.muster.server.kube.watch.PodGroupWatch;
import dev.muster.server.kube.watch.RereadQueue;
import dev.muster.server.kube.watch.ResourceWatch;
import dev.muster.server.kube.watch.TrimmedStore;
import dev.muster.server.kube.watch.WatchHealth;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// The watches of all kinds of owners, and the gangs of the owners.
final class OwnerWatches implements AutoCloseable {
  private static final int LOOKUPS = 4;

  private final OwnerGangs gangs;
  private final ApiCalls api;
  private final KeyedExecutor<OwnerKey> lookups =
      new KeyedExecutor<>("muster-owner", LOOKUPS, OwnerKey::namespace);

  private final RereadQueue groupQueue;
  private final List<OwnerWatch> owners;

  /// The watches of all owners, and of what creates their pods.
  private final List<OwnerWatch> watches;

  /// What the owners depend on, and what depends on them.
  ///
  /// @param client source of the owners
  /// @param health receiver of the faults of the watches
  /// @param problems receiver of the problems of owners
  /// @param served true for a kind `group/version/Kind` that the cluster serves
  /// @param maker creates or changes a PodGroup
  /// @param clock time of retries
  record Ends(
      KubernetesClient client,
      WatchHealth health,
      ObjectProblems problems,
      Predicate<String> served,
      Consumer<WantedPodGroup> maker,
      InstantSource clock) {}

  /// The objects that are known otherwise.
  ///
  /// @param namespaceLabels labels of a namespace; empty if it is unknown
  /// @param podGroups watch of the PodGroups that Muster writes
  /// @param podAgain reads a pod again in its turn, by its key
  record Others(
      Function<String, Map<String, String>> namespaceLabels,
      Supplier<Optional<PodGroupWatch>> podGroups,
      Consumer<String> podAgain) {}

  OwnerWatches(OwnerKinds kinds, List<String> accelerators, Ends ends, Others others) {
    Function<OwnerKind, Boolean> watched = kind -> watch(kind.api().kind()).isPresent();
    api = new ApiCalls(ends.client());
    Consumer<String> groupAgain =
        key -> others.podGroups().get().ifPresent(groups -> groups.again(key));
    groupQueue = new RereadQueue(groupAgain);
    gangs =
        new OwnerGangs(
            kinds,
            accelerators,
            new OwnerEnds(
                others.namespaceLabels(),
                watched,
                () -> others.podGroups().get().filter(PodGroupWatch::isServed).isPresent(),
                gang -> others.podGroups().get().flatMap(groups -> groups.find(gang)),
                others.podAgain(),
                groupQueue::add,
                groupAgain,
                ends.maker(),
                this::find,
                ends.clock()));
    OwnerWatch.Ends each =
        new OwnerWatch.Ends(
            ends.client(),
            ends.served(),
            ends.health(),
            ends.problems(),
            TrimmedStore.ownerSpace(),
            ends.clock());
    owners = kinds.kinds().stream().map(kind -> OwnerWatch.of(kind, gangs, each)).toList();
    watches =
        Stream.concat(
                owners.stream(),
                kinds.kinds().stream()
                    .flatMap(kind -> OwnerWatch.ofMakers(kind, gangs, each).stream()))
            .toList();
  }

  /// Returns the watch of the owners of this kind; empty if they are not watched.
  private Optional<OwnerWatch> watch(String kind) {
    return owners.stream()
        .filter(watch -> watch.kind().api().kind().equals(kind) && watch.isWatched())
        .findFirst();
  }

  /// Asks the API server for the owner, in a turn that is fair to namespaces.
  private void find(OwnerKey owner, String uid) {
    watch(owner.kind())
        .ifPresent(watch ->
            lookups.add(
                owner,
                KeyedExecutor.Task.newest(
                    "uid " + uid,
                    () -> {
                      if (watch.isAbsent(api, owner, uid)) {
                        gangs.absent(owner, uid);
                      }
                    })));
  }

  OwnerGangs gangs() {
    return gangs;
  }

  /// Asks again which kinds the cluster serves, and watches their objects if so.
  void check() {
    watches.forEach(OwnerWatch::check);
  }

  /// Asks for the kinds whose lookup did not succeed yet.
  void checkUnasked() {
    watches.stream().filter(watch -> !watch.isAsked()).forEach(OwnerWatch::check);
  }

  /// Reads PodGroups and pods again whose owners changed, and forgets what is gone. To be called
  /// every second.
  ///
  /// @param namespaces those that switched the gangs of owners on or off
  void reread(Set<String> namespaces) {
    gangs.reread(namespaces);
    gangs.prune();
    groupQueue.next();
  }

  /// Does the work of [#reread] for all PodGroups that wait at the call.
  void rereadAll(Set<String> namespaces) {
    gangs.reread(namespaces);
    gangs.prune();
    groupQueue.readAll();
  }

  /// True if scheduling may start.
  boolean areReady() {
    return watches.stream().allMatch(OwnerWatch::isReady);
  }

  boolean isAnyLost() {
    return watches.stream().anyMatch(OwnerWatch::isLost);
  }

  /// Returns how long any kind has not been watched.
  Duration blindFor() {
    return watches.stream()
        .map(OwnerWatch::blindFor)
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /// Returns the active watches.
  Stream<ResourceWatch<?>> watched() {
    return watches.stream().flatMap(OwnerWatch::watched);
  }

  @Override
  public void close() {
    lookups.close();
    watches.forEach(OwnerWatch::close);
  }
}
