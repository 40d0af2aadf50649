package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Helm 3 takes the chart as Helm 4 does.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ChartHelm3RenderingE2E {
  private final HelmCommand helm;
  private final HelmCommand older;

  ChartHelm3RenderingE2E(@TempDir Path folder) {
    Path none = folder.resolve("no-kubeconfig");
    helm = HelmCommand.ready(none, folder);
    older = HelmCommand.ready("helm3", none, folder);
  }

  @Test
  void it_finds_no_fault_in_the_chart() {
    assertThat(older.run(List.of("version", "--short"))).startsWith("v3.");
    assertThat(older.run(List.of("lint", "--strict", HelmCommand.CHART)))
        .contains("0 chart(s) failed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "certificates.source=Existing",
        "certificates.source=CertManager;networkPolicy.enabled=false;replicas=2",
        "certificates.source=Existing;admissionPolicy=Always;recordsPolicy=true;monitoring.enabled=true;"
            + "monitoring.documentation=https://git.example.com/docs;config.gating.hideGpus=false",
        "certificates.source=Existing;secondScheduler.enabled=true;secondScheduler.setSchedulerName=Always;"
            + "config.accelerators={nvidia.com/gpu,amd.com/gpu}",
      })
  void it_renders_the_same_objects(String values) {
    var arguments = template(values.split(";", -1));
    assertThat(RenderedObjects.ofChart(older.run(arguments)))
        .isEqualTo(RenderedObjects.ofChart(helm.run(arguments)))
        .hasSizeGreaterThan(10);
  }

  @Test
  void it_refuses_wrong_values_by_their_place() {
    HelmCommand.Answer answer = older.attempt(template("config.topologie.preset=gke"));
    assertThat(answer.status()).isNotZero();
    assertThat(answer.output()).contains("topologie");
  }

  private static List<String> template(String... values) {
    var arguments =
        new ArrayList<>(List.of("template", "muster", HelmCommand.CHART, "--include-crds"));
    arguments.addAll(List.of("--namespace", "muster-system", "--kube-version", "1.36.2"));
    arguments.addAll(HelmCommand.set(HelmCommand.CONTROL_PLANE));
    arguments.addAll(HelmCommand.set(values));
    return arguments;
  }
}
