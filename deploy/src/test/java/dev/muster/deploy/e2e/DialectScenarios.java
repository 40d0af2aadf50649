package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A gang is declared by another PodGroup than that of scheduler-plugins.
abstract class DialectScenarios {
  private static final List<String> PODS = List.of("train-0", "train-1", "train-2", "train-3");

  abstract TestStage stage();

  /// The PodGroup `train` of four pods, in YAML.
  abstract String group();

  /// A pod of it with 4 GPUs, in YAML.
  abstract String pod(String name);

  /// Waits until it is said, where users of such PodGroups look, why the gang waits.
  abstract void awaitReason(String sentence);

  @Test
  void gang_waits_until_it_fits_whole() {
    stage().cluster().createNodes(NodeShape.withGpus("one", 8));
    HasMetadata group = stage().admin().resource(group()).create();
    PODS.forEach(name -> stage().admin().resource(pod(name)).create());

    awaitReason("Needs 16 GPUs; the matching nodes have 8 in total.");
    assertThat(PODS).allMatch(name -> stage().cluster().nodeOf(name).isEmpty());
    stage().cluster().createNodes(NodeShape.withGpus("two", 8));

    stage().cluster().awaitRunning(PODS.toArray(String[]::new));
    stage().admin().resource(group).delete();
  }
}
