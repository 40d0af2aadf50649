package dev.muster.server.kube.dra;

import dev.muster.server.kube.budget.ObjectBudget;
import dev.muster.server.kube.client.Quantities;
import dev.muster.server.kube.dra.GpuDeviceClasses.Offer;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSubRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Computes the number of GPUs that a claim requests. Devices other than GPUs are left to
/// kube-scheduler. A claim whose number of GPUs is unknown before the allocation is refused.
///
/// @param claim display name of the claim or template, for errors
/// @param classes offer of a device class to a request with these selectors; empty if there is no
///   class of that name
record ClaimDemand(String claim, BiFunction<String, List<String>, Optional<Offer>> classes) {
  /// One request, or one of its alternatives.
  private record Asked(
      String field,
      String className,
      String mode,
      long count,
      boolean part,
      List<String> selectors) {
    static Asked of(String field, ExactDeviceRequest asked) {
      return of(
          field,
          new DeviceSubRequest(
              asked.getAllocationMode(),
              asked.getCapacity(),
              asked.getCount(),
              asked.getDeviceClassName(),
              "",
              asked.getSelectors(),
              asked.getTolerations()));
    }

    static Asked of(String field, DeviceSubRequest asked) {
      return new Asked(
          field,
          Objects.requireNonNullElse(asked.getDeviceClassName(), ""),
          Objects.requireNonNullElse(asked.getAllocationMode(), ""),
          // The count has no upper limit in the API, and requests are summed up.
          Math.min(Objects.requireNonNullElse(asked.getCount(), 1L), Quantities.MOST),
          asked.getCapacity() != null,
          GpuDeviceClasses.expressions(asked.getSelectors()));
    }
  }

  /// GPUs requested by a claim.
  ///
  /// @param accelerator resource name as which they count
  /// @param count number of GPUs
  /// @param selection the accepted GPUs; empty if any GPU will do
  record Wanted(String accelerator, long count, Optional<DeviceSelection> selection) {}

  /// GPUs of one request, or of one of its alternatives.
  ///
  /// @param ways alternative selectors for the GPUs; empty if any GPU will do
  private record Choice(String accelerator, long count, List<DeviceSelection.Way> ways) {
    Choice {
      ways = List.copyOf(ways);
    }

    Wanted wanted() {
      return new Wanted(accelerator, count, DeviceSelection.of(accelerator, ways));
    }

    /// Merges two alternatives: the larger count, and the selectors of both.
    Choice or(Choice other) {
      boolean any = ways.isEmpty() || other.ways.isEmpty();
      return new Choice(
          accelerator,
          Math.max(count, other.count),
          any ? List.of() : Stream.concat(ways.stream(), other.ways.stream()).toList());
    }
  }

  /// Returns the requested GPUs, request by request.
  ///
  /// @throws IllegalArgumentException if the number of GPUs is unknown; the message names the field
  ///   and a remedy
  List<Wanted> of(ResourceClaimSpec spec) {
    ObjectBudget.excess(spec)
        .ifPresent(excess -> {
          throw new IllegalArgumentException("%s: %s".formatted(claim, excess));
        });
    List<DeviceRequest> requests =
        spec.getDevices() == null ? List.of() : spec.getDevices().getRequests();
    return IntStream.range(0, requests.size())
        .mapToObj(i -> choice("spec.devices.requests[%d]".formatted(i), requests.get(i)))
        .flatMap(Optional::stream)
        .map(Choice::wanted)
        .toList();
  }

  private Optional<Choice> choice(String field, DeviceRequest request) {
    ExactDeviceRequest exactly = request.getExactly();
    if (exactly == null) {
      return first(field, request.getFirstAvailable());
    }
    // Monitoring pods observe devices of others and take none.
    return Boolean.TRUE.equals(exactly.getAdminAccess())
        ? Optional.empty()
        : choice(Asked.of(field + ".exactly", exactly));
  }

  /// Returns the largest demand of the alternatives, which must all be GPUs of one vendor: any
  /// alternative then fits.
  private Optional<Choice> first(String field, List<DeviceSubRequest> alternatives) {
    List<Optional<Choice>> all =
        IntStream.range(0, alternatives.size())
            .mapToObj(i ->
                choice(Asked.of("%s.firstAvailable[%d]".formatted(field, i), alternatives.get(i))))
            .toList();
    List<Optional<String>> sorts =
        all.stream().map(choice -> choice.map(Choice::accelerator)).distinct().toList();
    if (sorts.size() > 1) {
      throw problem(
          field + ".firstAvailable",
          "mixes GPUs with other devices, or GPUs of two vendors",
          "Request one of them with `exactly`");
    }
    return all.stream().flatMap(Optional::stream).reduce(Choice::or);
  }

  /// True if the claim may take whole GPUs, also if their number is unknown. A class that does not
  /// exist may offer them later.
  boolean mayTakeGpus(ResourceClaimSpec spec) {
    List<DeviceRequest> requests =
        spec.getDevices() == null ? List.of() : spec.getDevices().getRequests();
    return ObjectBudget.excess(spec).isPresent()
        || requests.stream()
            .flatMap(ClaimDemand::asked)
            .map(asked -> classes.apply(asked.className, asked.selectors))
            .anyMatch(offer -> offer.isEmpty() || offer.get() instanceof Offer.Whole);
  }

  private static Stream<Asked> asked(DeviceRequest request) {
    ExactDeviceRequest exactly = request.getExactly();
    if (exactly == null) {
      return request.getFirstAvailable().stream().map(asked -> Asked.of("", asked));
    }
    return Boolean.TRUE.equals(exactly.getAdminAccess())
        ? Stream.empty()
        : Stream.of(Asked.of("", exactly));
  }

  private Optional<Choice> choice(Asked asked) {
    Optional<Offer> offer = classes.apply(asked.className, asked.selectors);
    if (offer.isEmpty()) {
      throw problem(
          asked.field + ".deviceClassName",
          "is \"%s\": no such DeviceClass".formatted(asked.className),
          "The driver that creates it may not be installed");
    }
    return switch (offer.get()) {
      case Offer.Other _ -> Optional.empty();
      case Offer.Share(String type) ->
          throw problem(
              asked.field + ".deviceClassName",
              "is \"%s\", which offers parts of GPUs (%s), not whole GPUs"
                  .formatted(asked.className, type),
              "Use another scheduler for such pods, outside of gangs");
      case Offer.Whole whole -> Optional.of(whole(asked, whole));
    };
  }

  private Choice whole(Asked asked, Offer.Whole offer) {
    if (asked.mode.equals("All")) {
      throw problem(
          asked.field + ".allocationMode",
          "is All, so the number of GPUs depends on the node",
          "Set `count`");
    }
    if (asked.part) {
      throw problem(
          asked.field + ".capacity",
          "requests a part of a GPU's capacity",
          "Request whole GPUs, and select by capacity with `selectors`");
    }
    Optional<String> part = GpuDeviceClasses.part(asked.selectors);
    if (part.isPresent()) {
      throw problem(
          asked.field + ".selectors",
          "select parts of GPUs (%s), not whole GPUs".formatted(part.get()),
          "Use another scheduler for such pods, outside of gangs");
    }
    return new Choice(
        offer.accelerator(),
        asked.count,
        offer
            .selectors()
            .map(ofClass ->
                List.of(new DeviceSelection.Way(asked.className, ofClass, asked.selectors)))
            .orElseGet(List::of));
  }

  private IllegalArgumentException problem(String field, String what, String remedy) {
    return new IllegalArgumentException(
        "%s: the field %s %s. %s.".formatted(claim, field, what, remedy));
  }
}
