package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParseResult;

/// The Job of the simulator runs every part of one sweep once.
class SweepJobTest {
  private final JobSpec job =
      ShippedFiles.only(ShippedFiles.objects("examples/sweep-job.yaml"), Job.class, "muster-sweep")
          .getSpec();
  private final PodSpec pod = job.getTemplate().getSpec();
  private final Container container = pod.getContainers().getFirst();

  private ParseResult sweep() {
    String[] args = container.getArgs().toArray(new String[0]);
    return Muster.commandLine().parseArgs(args).subcommand().subcommand();
  }

  @Test
  void arguments_are_those_of_a_sweep() {
    assertThat(sweep().commandSpec().name()).isEqualTo("sweep");
  }

  @Test
  void job_has_as_many_pods_as_parts() {
    assertThat(job.getCompletionMode()).isEqualTo("Indexed");
    assertThat(job.getCompletions()).isEqualTo(sweep().<Integer>matchedOptionValue("--of", 1));
    assertThat(sweep().hasMatchedOption("--index")).isFalse();
  }

  @Test
  void failed_part_is_retried_and_fails_no_other_part() {
    assertThat(job.getBackoffLimitPerIndex()).isPositive();
    assertThat(job.getPodReplacementPolicy()).isEqualTo("Failed");
    assertThat(pod.getRestartPolicy()).isEqualTo("Never");
  }

  @Test
  void all_parts_write_to_one_volume() {
    PersistentVolumeClaim claim =
        ShippedFiles.only(
            ShippedFiles.objects("examples/sweep-job.yaml"),
            PersistentVolumeClaim.class,
            pod.getVolumes().getFirst().getPersistentVolumeClaim().getClaimName());
    assertThat(claim.getSpec().getAccessModes()).containsExactly("ReadWriteMany");
    assertThat(container.getVolumeMounts().getFirst().getMountPath()).isEqualTo("/data");
    assertThat(container.getArgs())
        .filteredOn(argument -> argument.contains("/"))
        .allMatch(argument -> argument.contains("=/data/"));
  }

  @Test
  void pod_meets_the_restricted_pod_security_standard() {
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    assertThat(container.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
    assertThat(container.getSecurityContext().getCapabilities().getDrop())
        .isEqualTo(List.of("ALL"));
  }
}
