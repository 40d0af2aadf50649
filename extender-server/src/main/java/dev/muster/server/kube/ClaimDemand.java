package dev.muster.server.kube;

import dev.muster.server.kube.GpuClasses.Offer;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSubRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/// How many GPUs a claim asks for. What is no GPU is left to kube-scheduler; GPUs whose number
/// cannot be known before they are allocated are refused.
///
/// @param claim the claim or template as people call it, for errors
/// @param classes what a device class offers; empty when there is none of that name
record ClaimDemand(String claim, Function<String, Optional<Offer>> classes) {
  /// What is asked for under one name: a request, or one of its alternatives.
  private record Asked(String field, String className, String mode, long count, boolean part) {
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
          Objects.requireNonNullElse(asked.getCount(), 1L),
          asked.getCapacity() != null);
    }
  }

  private record Wanted(String accelerator, long count) {}

  /// The GPUs by the resource name that they count as.
  ///
  /// @throws IllegalArgumentException when it is not known how many they are; the message names the
  ///   field and a remedy
  SortedMap<String, Long> of(ResourceClaimSpec spec) {
    SortedMap<String, Long> gpus = new TreeMap<>();
    List<DeviceRequest> requests =
        spec.getDevices() == null ? List.of() : spec.getDevices().getRequests();
    for (int i = 0; i < requests.size(); i++) {
      wanted("spec.devices.requests[%d]".formatted(i), requests.get(i))
          .ifPresent(wanted -> gpus.merge(wanted.accelerator, wanted.count, Long::sum));
    }
    return gpus;
  }

  private Optional<Wanted> wanted(String field, DeviceRequest request) {
    ExactDeviceRequest exactly = request.getExactly();
    if (exactly == null) {
      return first(field, request.getFirstAvailable());
    }
    // Monitors look at devices that others use.
    return Boolean.TRUE.equals(exactly.getAdminAccess())
        ? Optional.empty()
        : wanted(Asked.of(field + ".exactly", exactly));
  }

  /// Of alternatives that are all GPUs of one sort, the most: whichever is taken, there is room.
  private Optional<Wanted> first(String field, List<DeviceSubRequest> alternatives) {
    List<Optional<Wanted>> all =
        IntStream.range(0, alternatives.size())
            .mapToObj(i ->
                wanted(Asked.of("%s.firstAvailable[%d]".formatted(field, i), alternatives.get(i))))
            .toList();
    List<Optional<String>> sorts =
        all.stream().map(wanted -> wanted.map(Wanted::accelerator)).distinct().toList();
    if (sorts.size() > 1) {
      throw problem(
          field + ".firstAvailable",
          "offers alternatives of which some are GPUs and some are not, or GPUs of two vendors",
          "ask for one of them with `exactly`");
    }
    return all.stream()
        .flatMap(Optional::stream)
        .reduce((one, other) -> one.count >= other.count ? one : other);
  }

  private Optional<Wanted> wanted(Asked asked) {
    Optional<Offer> offer = classes.apply(asked.className);
    if (offer.isEmpty()) {
      throw problem(
          asked.field + ".deviceClassName",
          "is \"%s\", and there is no such DeviceClass".formatted(asked.className),
          "it is misspelt, or the driver that makes it is not installed");
    }
    return switch (offer.get()) {
      case Offer.Other _ -> Optional.empty();
      case Offer.Part(String type) ->
          throw problem(
              asked.field + ".deviceClassName",
              "is \"%s\", which gives parts of GPUs (%s), not whole ones"
                  .formatted(asked.className, type),
              "leave such pods to another scheduler, outside of gangs");
      case Offer.Whole(String accelerator) -> Optional.of(whole(asked, accelerator));
    };
  }

  private Wanted whole(Asked asked, String accelerator) {
    if (asked.mode.equals("All")) {
      throw problem(
          asked.field + ".allocationMode",
          "is All, so how many GPUs that is depends on the node",
          "write how many: `count`");
    }
    if (asked.part) {
      throw problem(
          asked.field + ".capacity",
          "asks for a part of what a GPU has",
          "ask for whole GPUs, and select by capacity with `selectors`");
    }
    return new Wanted(accelerator, asked.count);
  }

  private IllegalArgumentException problem(String field, String what, String remedy) {
    return new IllegalArgumentException(
        "%s: the field %s %s. Maybe %s.".formatted(claim, field, what, remedy));
  }
}
