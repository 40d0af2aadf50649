package dev.muster.server.kube.watch;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectTrimmer;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.codec.PodGroupCodec;
import dev.muster.server.kube.codec.UnknownKeys;
import dev.muster.server.kube.owner.OwnerGangs;
import dev.muster.server.kube.record.GangRecords;
import dev.muster.server.kube.start.NativeGroups;
import dev.muster.server.kube.start.SeenSwitch;
import dev.muster.server.kube.start.StartSwitch;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches the PodGroups of one dialect while the cluster serves them. Their API may be installed,
/// upgraded or removed at any time.
public final class PodGroupWatch implements NativeGroups, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PodGroupWatch.class);

  /// The inputs and outputs of a watch.
  ///
  /// @param client source of the objects
  /// @param health receiver of the faults of the watch
  /// @param served true for an API version of PodGroups that the cluster serves
  /// @param facts receiver of every gang
  /// @param problems receiver of the problems of invalid PodGroups
  public record Ends(
      KubernetesClient client,
      WatchHealth health,
      Predicate<String> served,
      ChangeFilter facts,
      ObjectProblems problems) {}

  private final Ends ends;
  private final PodGroupCodec codec;
  private final OwnerGangs owners;
  private final GangRecords records;
  private final ServedKindWatch watch;

  /// The start switches, by key.
  private final Map<String, SeenSwitch> switches = new ConcurrentHashMap<>();

  public PodGroupWatch(Ends ends, PodGroupCodec codec) {
    this(ends, codec, OwnerGangs.none());
  }

  /// @param owners the gangs whose PodGroups Muster writes
  public PodGroupWatch(Ends ends, PodGroupCodec codec, OwnerGangs owners) {
    this.ends = ends;
    this.codec = codec;
    this.owners = owners;
    this.records = new GangRecords(ends.facts());
    this.watch =
        new ServedKindWatch(
            new ServedKindWatch.Kind(
                "PodGroups of " + codec.dialect().group(),
                codec.dialect().apiVersions(),
                ends.served(),
                version -> "/apis/%s/%s".formatted(version, PodGroupDialect.PLURAL),
                ObjectTrimmer.OF_UNTYPED,
                () -> TrimmedStore.ofGroups(this::trim)),
            ends.client(),
            new Groups(),
            ends.health(),
            log);
  }

  /// Returns the origin of the gangs that these PodGroups declare.
  public GangId.Origin origin() {
    return codec.dialect().origin();
  }

  /// Looks up the served version and watches it.
  public void check() {
    watch.check();
  }

  /// True if the cluster serves these PodGroups.
  public boolean isServed() {
    return watch.isServed();
  }

  /// True if the version was looked up and all of its PodGroups were listed.
  public boolean isSynced() {
    return watch.isSynced();
  }

  public boolean isAsked() {
    return watch.isAsked();
  }

  /// Returns how long the PodGroups have not been watched.
  public Duration blindFor() {
    return watch.blindFor();
  }

  /// True if the watch is down. An API that is not served is no outage.
  public boolean isLost() {
    return watch.isLost();
  }

  /// Returns the active watch, if any.
  public Stream<ResourceWatch<?>> watched() {
    return watch.watched();
  }

  public Optional<GenericKubernetesResource> find(GangId gang) {
    return watch.find(gang.namespace() + "/" + gang.name());
  }

  @Override
  public Optional<String> served() {
    return watch.served();
  }

  @Override
  public Optional<SeenSwitch> find(String key) {
    return Optional.ofNullable(switches.get(key));
  }

  @Override
  public Collection<SeenSwitch> switches() {
    return Collections.unmodifiableCollection(switches.values());
  }

  private void trim(GenericKubernetesResource group) {
    if (isSwitch(group.getMetadata().getName())) {
      SeenSwitch.trim(group);
    }
  }

  /// True if a PodGroup of this name declares no gang.
  private boolean isSwitch(String name) {
    return codec.dialect() == PodGroupDialect.NATIVE && StartSwitch.isOne(name);
  }

  /// Reads the records of all PodGroups. Their pods were listed.
  public void recover() {
    records.recover(() -> watch.again(GangRecords::areOn));
  }

  /// Reads the PodGroup with this key again.
  public void again(String key) {
    watch.again(key);
  }

  @Override
  public void close() {
    watch.close();
  }

  private final class Groups implements ResourceWatch.Sink<GenericKubernetesResource> {
    /// Uids of the valid PodGroups, by key.
    private final Map<String, String> understood = new ConcurrentHashMap<>();

    @Override
    public void seen(String key, GenericKubernetesResource group) {
      if (isSwitch(group.getMetadata().getName())) {
        switches.put(key, SeenSwitch.of(group));
        return;
      }
      switch (codec.read(group)) {
        case ReadResult.Good<GangSpec>(GangSpec spec) -> {
          String before = understood.put(key, uid(group));
          if (before != null && !before.equals(uid(group))) {
            // It replaced another PodGroup unnoticed, and has none of the annotations of that one.
            ends.facts().noGang(spec.id());
            records.forget(key);
          }
          adjusted(records.ofGroup(key, group, spec), group)
              .ifPresentOrElse(ends.facts()::gang, () -> ends.facts().noGang(spec.id()));
          ends.problems().note(problemKey(key), UnknownKeys.stray(group));
        }
        case ReadResult.Bad<GangSpec>(ObjectProblem problem) -> {
          // A PodGroup that was valid keeps its last facts: its pods may be starting, or run under
          // its protection.
          boolean stands = uid(group).equals(understood.get(key));
          ends.facts().invalidGang(codec.id(group), problem.message(), stands);
          records.invalid(key);
          ends.problems().note(problemKey(key), Optional.of(problem));
          edited(codec.id(group));
        }
      }
    }

    private Optional<GangSpec> adjusted(GangSpec spec, GenericKubernetesResource group) {
      return codec.dialect() == PodGroupDialect.SCHEDULER_PLUGINS
          ? owners.adjusted(spec, group)
          : Optional.of(spec);
    }

    private void edited(GangId gang) {
      if (codec.dialect() == PodGroupDialect.SCHEDULER_PLUGINS) {
        owners.edited(gang);
      }
    }

    private static String uid(GenericKubernetesResource group) {
      return Objects.requireNonNullElse(group.getMetadata().getUid(), "");
    }

    @Override
    public void gone(String key) {
      understood.remove(key);
      int slash = key.indexOf('/');
      if (isSwitch(key.substring(slash + 1))) {
        switches.remove(key);
        return;
      }
      String namespace = key.substring(0, slash);
      GangId gang = new GangId(namespace, codec.dialect().origin(), key.substring(slash + 1));
      records.forget(key);
      ends.facts().noGang(gang);
      if (codec.dialect() == PodGroupDialect.SCHEDULER_PLUGINS) {
        owners.gone(gang);
      }
      ends.problems().note(problemKey(key), Optional.empty());
    }

    private String problemKey(String key) {
      return codec.dialect() + "/" + key;
    }
  }
}
