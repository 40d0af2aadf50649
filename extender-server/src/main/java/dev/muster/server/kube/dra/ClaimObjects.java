package dev.muster.server.kube.dra;

import dev.muster.server.kube.dra.ClaimDemand.Wanted;
import dev.muster.server.kube.dra.ClaimSharers.Sharer;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassSpec;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplateSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// The known ResourceClaims, their templates and device classes, and the GPUs that they request.
///
/// One thread at a time may record objects; any thread may read meanwhile.
final class ClaimObjects {
  /// The end of the key of a template. No name of an object contains it.
  static final String TEMPLATE = "#template";

  private final GpuDeviceClasses offers;
  private final Map<String, ResourceClaim> claims = new ConcurrentHashMap<>();
  private final Map<String, ResourceClaimSpec> templates = new ConcurrentHashMap<>();
  private final Map<String, DeviceClassSpec> classes = new ConcurrentHashMap<>();

  /// The demand of each claim and template, as it was last computed. A pod may have 64 claims with
  /// long selectors, and its labels can change at any rate.
  private final Map<String, Demand> demands = new ConcurrentHashMap<>();

  /// The GPUs that a claim or template requests.
  ///
  /// @param what display name of the claim or template
  /// @param problem error if the number of GPUs is unknown
  private record Demand(String what, List<Wanted> gpus, Optional<String> problem) {}

  ClaimObjects(GpuDeviceClasses offers) {
    this.offers = offers;
  }

  // ---- Objects seen; an empty object is deleted ----

  /// Records the current state of a claim and returns the previous one.
  Optional<ResourceClaim> put(String key, Optional<ResourceClaim> claim) {
    Optional<ResourceClaim> before = put(claims, key, claim);
    if (!claim.map(ResourceClaim::getSpec).equals(before.map(ResourceClaim::getSpec))) {
      demands.remove(key);
    }
    return before;
  }

  /// Records the current state of a template; true if its spec changed.
  boolean template(String key, Optional<ResourceClaimTemplate> template) {
    Optional<ResourceClaimSpec> spec =
        template.map(ResourceClaimTemplate::getSpec).map(ResourceClaimTemplateSpec::getSpec);
    boolean isNews = !spec.equals(put(templates, key, spec));
    if (isNews) {
      demands.remove(key + TEMPLATE);
    }
    return isNews;
  }

  /// Records the current state of a device class; true if its spec changed.
  boolean deviceClass(String name, Optional<DeviceClass> known) {
    Optional<DeviceClassSpec> spec = known.map(DeviceClass::getSpec);
    boolean isNews = !spec.equals(put(classes, name, spec));
    if (isNews) {
      demands.clear();
    }
    return isNews;
  }

  private static <T> Optional<T> put(Map<String, T> all, String key, Optional<T> one) {
    return Optional.ofNullable(one.isPresent() ? all.put(key, one.get()) : all.remove(key));
  }

  // ---- Known objects ----

  Optional<ResourceClaim> claim(String key) {
    return Optional.ofNullable(claims.get(key));
  }

  /// Returns the spec of the claims that are made from the template.
  Optional<ResourceClaimSpec> template(String key) {
    return Optional.ofNullable(templates.get(key));
  }

  /// Returns the holders of the claim, at most 256.
  static Stream<Sharer> holders(ResourceClaim claim) {
    return Optional.ofNullable(claim.getStatus()).stream()
        .flatMap(status -> status.getReservedFor().stream())
        .filter(holder -> holder.getName() != null && holder.getUid() != null)
        .map(holder -> new Sharer(holder.getName(), holder.getUid()));
  }

  /// Returns the kind and the name of a claim or template.
  static String named(String key) {
    return key.endsWith(TEMPLATE)
        ? "ResourceClaimTemplate " + key.substring(0, key.length() - TEMPLATE.length())
        : "ResourceClaim " + key;
  }

  /// Returns the relevant parts of a claim: its request and its allocation. The metadata also
  /// change for other reasons.
  static List<Optional<Object>> relevant(ResourceClaim claim) {
    return List.of(
        Optional.ofNullable(claim.getSpec()),
        Optional.ofNullable(claim.getStatus()),
        Optional.ofNullable(claim.getMetadata().getUid()));
  }

  /// True if both are states of one claim, not of a deleted one and a later one of its name.
  static boolean isSame(ResourceClaim some, ResourceClaim other) {
    return Objects.equals(some.getMetadata().getUid(), other.getMetadata().getUid());
  }

  // ---- Requested GPUs ----

  /// Returns the GPUs that a known claim requests, as [#demanded] does. It is computed once for
  /// each state of the claim and the classes. Not to be called while objects are recorded.
  Optional<List<Wanted>> ofClaim(String what, String key) {
    return claim(key).map(ResourceClaim::getSpec).map(spec -> demanded(what, key, spec));
  }

  /// Returns the GPUs of a claim of a known template, as [#ofClaim] does.
  Optional<List<Wanted>> ofTemplate(String what, String key) {
    return template(key).map(spec -> demanded(what, key + TEMPLATE, spec));
  }

  private List<Wanted> demanded(String what, String key, ResourceClaimSpec spec) {
    Demand demand =
        demands.compute(
            key,
            (_, known) -> known != null && known.what.equals(what) ? known : computed(what, spec));
    demand.problem.ifPresent(problem -> {
      throw new IllegalArgumentException(problem);
    });
    return demand.gpus;
  }

  private Demand computed(String what, ResourceClaimSpec spec) {
    try {
      return new Demand(what, demanded(what, spec), Optional.empty());
    } catch (IllegalArgumentException e) {
      return new Demand(what, List.of(), Optional.of(String.valueOf(e.getMessage())));
    }
  }

  /// Returns the GPUs that a claim requests, request by request.
  ///
  /// @param what display name of the claim or template, for errors
  /// @throws IllegalArgumentException if the number of GPUs is unknown
  List<Wanted> demanded(String what, ResourceClaimSpec spec) {
    return demand(what).of(spec);
  }

  /// True if a claim may take whole GPUs, also if their number is unknown.
  boolean mayTakeGpus(ResourceClaimSpec spec) {
    return demand("").mayTakeGpus(spec);
  }

  private ClaimDemand demand(String what) {
    return new ClaimDemand(
        what, (name, own) -> offers.offer(name, own, Optional.ofNullable(classes.get(name))));
  }

  /// Returns the selections of GPUs by which a claim requests; none if it is invalid.
  List<DeviceSelection> selections(ResourceClaimSpec spec) {
    try {
      return demanded("", spec).stream().map(Wanted::selection).flatMap(Optional::stream).toList();
    } catch (IllegalArgumentException _) {
      return List.of(); // the error is reported for the pod
    }
  }
}
