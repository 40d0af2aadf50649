package dev.muster.server.kube.owner.kind;

import dev.muster.server.kube.client.WellKnownNames;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/// The pod template of an owner, as far as it concerns the gang.
///
/// @param fields the template, with `metadata` and `spec`
public record PodTemplate(Fields fields) {
  /// The template of an owner that is known only by its size. Its pods may request GPUs.
  static final PodTemplate UNKNOWN = new PodTemplate(new Fields("unknown"));

  private static final List<String> GROUP_ANNOTATIONS =
      List.of(WellKnownNames.VOLCANO_GROUP, WellKnownNames.VOLCANO_GROUP_OLD);

  /// True if the owner is known only by its size.
  public boolean isUnknown() {
    return equals(UNKNOWN);
  }

  /// True if its pods may request GPUs: by one of these resources, or by devices. Devices come by
  /// claims, or by the name of a class.
  public boolean mayRequestGpus(Collection<String> accelerators) {
    Fields spec = fields.at("spec");
    return isUnknown()
        || !spec.at("resourceClaims").items().isEmpty()
        || Stream.of("containers", "initContainers")
            .flatMap(list -> spec.at(list).items().stream())
            .map(container -> container.at("resources"))
            .flatMap(asked -> Stream.of(asked.at("limits"), asked.at("requests")))
            .flatMap(amounts -> amounts.entries().entrySet().stream())
            .anyMatch(amount ->
                (accelerators.contains(amount.getKey())
                        || amount.getKey().startsWith(WellKnownNames.DEVICES_OF_CLASS))
                    && some(amount.getValue()));
  }

  private static boolean some(Fields amount) {
    return amount.isPresent() && !String.valueOf(amount.value()).matches("[-0.]*");
  }

  /// True if its pods name a PodGroup, of any dialect.
  public boolean namesGang() {
    Fields metadata = fields.at("metadata");
    return metadata.at("labels", WellKnownNames.POD_GROUP).isPresent()
        || GROUP_ANNOTATIONS.stream().anyMatch(key -> metadata.at("annotations", key).isPresent())
        || fields.at("spec", "schedulingGroup", "podGroupName").isPresent();
  }
}
