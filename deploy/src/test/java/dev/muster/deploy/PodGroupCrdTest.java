package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// The CRD of PodGroups has the fields that their producers write.
class PodGroupCrdTest {
  private final List<HasMetadata> objects = ShippedFiles.built("manifests/crd");

  @Test
  void pod_group_has_the_fields_that_its_producers_write() {
    var crd =
        ShippedFiles.only(objects, CustomResourceDefinition.class, "podgroups.scheduling.x-k8s.io")
            .getSpec();
    assertThat(crd.getNames().getShortNames()).containsExactly("pg", "pgs", "mpg");
    assertThat(crd.getScope()).isEqualTo("Namespaced");
    CustomResourceDefinitionVersion version = crd.getVersions().getFirst();
    assertThat(version.getName()).isEqualTo("v1alpha1");
    assertThat(version.getSubresources().getStatus()).isNotNull();

    Map<String, JSONSchemaProps> fields = version.getSchema().getOpenAPIV3Schema().getProperties();
    Map<String, JSONSchemaProps> spec = field(fields, "spec").getProperties();
    assertThat(spec).containsOnlyKeys("minMember", "minResources", "scheduleTimeoutSeconds");
    assertThat(field(spec, "minMember").getMinimum()).isEqualTo(1.0);
    assertThat(
            field(spec, "minResources")
                .getAdditionalProperties()
                .getSchema()
                .getXKubernetesIntOrString())
        .isTrue();
    assertThat(field(fields, "status").getProperties())
        .containsOnlyKeys(
            "phase",
            "occupiedBy",
            "running",
            "succeeded",
            "failed",
            "scheduleStartTime",
            "conditions");
  }

  private static JSONSchemaProps field(Map<String, JSONSchemaProps> fields, String name) {
    return Objects.requireNonNull(fields.get(name), name);
  }

  @Test
  void every_field_of_the_schema_has_a_type() {
    var crd =
        ShippedFiles.only(objects, CustomResourceDefinition.class, "podgroups.scheduling.x-k8s.io")
            .getSpec();
    var untyped = new ArrayList<String>();
    collectUntyped("", crd.getVersions().getFirst().getSchema().getOpenAPIV3Schema(), untyped);
    assertThat(untyped).isEmpty();
  }

  private static void collectUntyped(String path, JSONSchemaProps schema, List<String> untyped) {
    boolean intOrString = Boolean.TRUE.equals(schema.getXKubernetesIntOrString());
    if (schema.getType() == null && !intOrString) {
      untyped.add(path);
    }
    if (schema.getProperties() != null) {
      schema
          .getProperties()
          .forEach((name, child) -> collectUntyped(path + "." + name, child, untyped));
    }
  }
}
