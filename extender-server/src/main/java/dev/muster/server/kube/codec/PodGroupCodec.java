package dev.muster.server.kube.codec;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.JsonFields;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import dev.muster.server.kube.client.WellKnownNames;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/// Reads PodGroups of one dialect, except for the records of promises and victims.
///
/// @param dialect dialect of the PodGroups
/// @param priorities value of a PriorityClass by its name, empty if there is none
public record PodGroupCodec(
    PodGroupDialect dialect, Function<String, Optional<Integer>> priorities) {
  public ReadResult<GangSpec> read(GenericKubernetesResource group) {
    return ReadResult.of(
        group,
        () -> {
          ObjectBudget.excess(group)
              .ifPresent(excess -> {
                throw new IllegalArgumentException(excess);
              });
          return spec(group);
        });
  }

  /// Returns the gang that the PodGroup declares.
  public GangId id(GenericKubernetesResource group) {
    return new GangId(
        group.getMetadata().getNamespace(), dialect.origin(), group.getMetadata().getName());
  }

  private GangSpec spec(GenericKubernetesResource group) {
    JsonFields fields = new JsonFields(group);
    Mistakes mistakes = new Mistakes();
    GangConstraintsCodec wishes = GangConstraintsCodec.of(group, mistakes);
    GangId id = id(group);
    int minCount = mistakes.reading(() -> minCount(fields), Integer.MAX_VALUE);
    Optional<Integer> maxCount = wishes.maxCount();
    maxCount
        .filter(most -> most < minCount && minCount < Integer.MAX_VALUE)
        .ifPresent(most -> mistakes.note(tooFew(most, minCount)));
    Optional<String> queue = wishes.queue().or(() -> mistakes.reading(() -> queue(fields)));
    Optional<Integer> priority = mistakes.reading(() -> priority(fields));
    TopologyConstraint wished = wishes.topology();
    GangConstraints constraints =
        new GangConstraints(
            mistakes.reading(() -> topology(fields, wished), wished),
            wishes.gpus(),
            wishes.runtime(),
            wishes.preference());
    Optional<Integer> timeout =
        mistakes.reading(() -> fields.whole("spec", "scheduleTimeoutSeconds"));
    mistakes.refuse(UnknownKeys.texts(group));
    return GangSpec.of(id, minCount, queue.orElse(id.namespace()), JsonBodies.created(group))
        .upTo(maxCount)
        .prior(priority)
        .wishing(constraints)
        .gatheringWithin(timeout.filter(seconds -> seconds > 0).map(Duration::ofSeconds))
        .running(RunLineage.of(group))
        .labelled(new TreeMap<>(ObjectMetadata.labels(group)))
        .recording(VictimsRecord.read(group))
        .recalling(GangPastCodec.read(group, dialect));
  }

  private int minCount(JsonFields fields) {
    return switch (dialect) {
      case SCHEDULER_PLUGINS -> declared(fields, "spec", "minMember");
      // The other policy of Kubernetes, basic, requests no gang: each pod may start alone.
      case NATIVE ->
          fields.has("spec", "schedulingPolicy", "gang")
              ? declared(fields, "spec", "schedulingPolicy", "gang", "minCount")
              : 1;
      case VOLCANO -> Math.max(1, fields.whole("spec", "minMember").orElse(1));
    };
  }

  private static int declared(JsonFields fields, String... path) {
    int minCount = fields.whole(path).orElse(0);
    if (minCount < 1) {
      throw new IllegalArgumentException(
          "The field %s is (%d) or missing; it must be 1 or more."
              .formatted(String.join(".", path), minCount));
    }
    return minCount;
  }

  /// Returns the queue. Volcano sets a default queue if the user names none. Only Volcano's own
  /// webhook checks the characters of the name, and it can be absent.
  private Optional<String> queue(JsonFields fields) {
    if (dialect != PodGroupDialect.VOLCANO) {
      return Optional.empty();
    }
    Optional<String> named = fields.text("spec", "queue").filter(name -> !name.equals("default"));
    if (named.isPresent() && !GangConstraintsCodec.isQueue(named.get())) {
      throw new IllegalArgumentException(
          "The field spec.queue is (%s); it must be the name of a queue: 1 to 253 letters, digits, '-', '_' and '.', with a letter or digit at both ends."
              .formatted(Mistakes.shown(named.get())));
    }
    return named;
  }

  private Optional<Integer> priority(JsonFields fields) {
    Optional<Integer> resolved =
        dialect == PodGroupDialect.NATIVE ? fields.whole("spec", "priority") : Optional.empty();
    return resolved.or(() -> fields.text("spec", "priorityClassName").flatMap(priorities));
  }

  private TopologyConstraint topology(JsonFields fields, TopologyConstraint wished) {
    Optional<String> level =
        switch (dialect) {
          case SCHEDULER_PLUGINS -> Optional.empty();
          case NATIVE -> fields.text("spec", "schedulingConstraints", "topology", "0", "key");
          case VOLCANO -> fields.text("spec", "networkTopology", "highestTierName");
        };
    boolean soft = fields.text("spec", "networkTopology", "mode").equals(Optional.of("soft"));
    if (dialect == PodGroupDialect.VOLCANO
        && !soft
        && wished.required().or(() -> level).isEmpty()) {
      fields
          .whole("spec", "networkTopology", "highestTierAllowed")
          .ifPresent(PodGroupCodec::refuse);
    }
    return new TopologyConstraint(
        wished.required().or(() -> soft ? Optional.empty() : level),
        wished.preferred().or(() -> soft ? level : Optional.empty()),
        wished.slices(),
        wished.layout());
  }

  private static String tooFew(int maxCount, int minCount) {
    return "The annotation %s is (%d), less than the PodGroup's minimum of %d members."
        .formatted(WellKnownNames.MAX_COUNT, maxCount, minCount);
  }

  private static void refuse(int tier) {
    throw new IllegalArgumentException(
        "The field spec.networkTopology.highestTierAllowed is (%d); topology levels are supported by name only. Set spec.networkTopology.highestTierName, or the annotation muster.dev/topology-required."
            .formatted(tier));
  }
}
