package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The applied NetworkPolicy lets only named peers in, and says in one place what to edit.
class NetworkPolicyTest {
  private final List<HasMetadata> objects = ShippedFiles.built("manifests");
  private final NetworkPolicy policy = ShippedFiles.only(objects, NetworkPolicy.class, "muster");
  private final Deployment deployment = ShippedFiles.only(objects, Deployment.class, "muster");

  @Test
  void policy_selects_the_pods_of_muster() {
    assertThat(policy.getSpec().getPodSelector().getMatchLabels())
        .isEqualTo(deployment.getSpec().getSelector().getMatchLabels());
    assertThat(policy.getSpec().getPolicyTypes()).contains("Ingress");
  }

  @Test
  void only_named_peers_reach_ports_that_exist() {
    Container container = deployment.getSpec().getTemplate().getSpec().getContainers().getFirst();
    List<Integer> ports =
        container.getPorts().stream().map(ContainerPort::getContainerPort).toList();
    for (NetworkPolicyIngressRule rule : policy.getSpec().getIngress()) {
      assertThat(rule.getFrom()).isNotEmpty();
      assertThat(rule.getPorts())
          .isNotEmpty()
          .allSatisfy(port -> assertThat(ports).contains(port.getPort().getIntVal()));
    }
  }

  /// So an unedited file replaces no policy that works: the API server refuses it.
  @Test
  void unedited_address_is_no_range() {
    String address =
        policy.getSpec().getIngress().getFirst().getFrom().getFirst().getIpBlock().getCidr();
    assertThat(address).doesNotContain("/");
  }

  @Test
  void three_values_are_to_be_edited() {
    String text = ShippedFiles.text("manifests/network-policy/network-policy.yaml");
    assertThat(text.split("# EDIT:", -1)).hasSize(4);
    assertThat(ShippedFiles.text("manifests/kustomization.yaml")).contains("  - network-policy\n");
    assertThat(ShippedFiles.text("release.sh"))
        .contains("cat \"$deploy/manifests/network-policy/network-policy.yaml\"");
  }
}
