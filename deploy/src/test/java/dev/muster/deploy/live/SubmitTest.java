package dev.muster.deploy.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// `muster submit` writes a job for a number of GPUs, after saying when it would start.
class SubmitTest extends FitScene {
  private static final Pattern DOCUMENT = Pattern.compile("(?m)^---.*$");

  private static Outcome submit(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine command =
        new CommandLine(new SubmitCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setParameterExceptionHandler((wrong, _) -> {
              wrong.getCommandLine().getErr().println(wrong.getMessage());
              return 2;
            });
    return new Outcome(command.execute(words), out.toString(), err.toString());
  }

  private static List<JsonNode> written(String command, String... program) {
    List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
    words.addAll(List.of("--no-fit", "--"));
    words.addAll(List.of(program));
    Outcome outcome = submit(words.toArray(String[]::new));
    assertThat(outcome.err()).isEmpty();
    return Stream.of(DOCUMENT.split(outcome.out(), -1))
        .filter(text -> !text.isBlank())
        .map(text -> new KubernetesSerialization().unmarshal(text, JsonNode.class))
        .toList();
  }

  private static JsonNode only(String command, String... program) {
    List<JsonNode> written = written(command, program);
    assertThat(written).hasSize(1);
    return written.getFirst();
  }

  private Outcome asked(String drawing, String command) throws IOException {
    return asked(snapshot(drawing), command);
  }

  private static Outcome asked(Path snapshot, String command) {
    List<String> words = new ArrayList<>(List.of("--snapshot", snapshot.toString()));
    words.addAll(List.of(command.split(" ", -1)));
    return submit(words.toArray(String[]::new));
  }

  @Test
  void job_is_that_of_the_example() {
    assertThat(
            written(
                "--gpus 32 --cpu 64 --memory 512Gi --image pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
                "torchrun",
                "train.py"))
        .isEqualTo(ShippedFiles.documents("examples/torchrun.yaml"));
  }

  @Test
  void py_torch_job_is_that_of_the_example() {
    assertThat(
            written(
                "--kind pytorchjob --name train --gpus 32 --cpu 16 --memory 128Gi --image registry.example/train:1",
                "torchrun",
                "train.py"))
        .isEqualTo(ShippedFiles.documents("examples/operators/pytorchjob.yaml"));
  }

  @Test
  void mpi_job_is_that_of_the_example() {
    assertThat(
            written(
                "--kind mpijob --name train --gpus 32 --cpu 16 --memory 128Gi --image registry.example/mpi:1",
                "mpirun",
                "-n",
                "32",
                "./train"))
        .isEqualTo(ShippedFiles.documents("examples/operators/mpijob.yaml"));
  }

  @Test
  void worker_of_a_job_set_is_that_of_the_example() {
    JsonNode example = ShippedFiles.documents("examples/operators/jobset.yaml").getFirst();

    JsonNode written =
        only(
            "--kind jobset --name train --gpus 32 --cpu 16 --memory 128Gi --image registry.example/train:1",
            "python",
            "train.py");

    assertThat(written.at("/spec/replicatedJobs/0/template/spec/template"))
        .isEqualTo(example.at("/spec/replicatedJobs/1/template/spec/template"));
  }

  @Test
  void pods_of_a_job_set_meet_at_its_first_pod() {
    JsonNode env =
        only("--kind jobset --name train --gpus 16 --image i", "torchrun")
            .at("/spec/replicatedJobs/0/template/spec/template/spec/containers/0/env");

    assertThat(env)
        .filteredOn(each -> each.path("name").asText().equals("PET_RDZV_ENDPOINT"))
        .extracting(each -> each.path("value").asText())
        .containsExactly("train-worker-0-0.train:29500");
  }

  @Test
  void wishes_are_on_the_object_that_makes_the_gang() {
    String wishes =
        "--gpus 16 --image i --model H100,A100 --queue research --runtime 2h30m --topology-required rack";

    JsonNode metadata = written(wishes, "run").getFirst().path("metadata");

    assertThat(metadata.at("/labels/muster.dev~1queue").asText()).isEqualTo("research");
    assertThat(metadata.path("annotations").toString())
        .isEqualTo(
            "{\"muster.dev/gpu-models\":\"H100,A100\",\"muster.dev/runtime\":\"2h30m\",\"muster.dev/topology-required\":\"rack\"}");
    assertThat(only("--kind mpijob " + wishes, "run").at("/metadata/annotations"))
        .isEqualTo(metadata.path("annotations"));
  }

  @ParameterizedTest
  @CsvSource({"job, torchrun", "jobset, jobset-torchrun", "pytorchjob, pytorchjob-torchrun"})
  void pods_of_each_kind_are_one_gang(String kind, String gang) throws IOException {
    Outcome outcome = asked(FOUR, "--gpus 32 --kind %s --image i -- torchrun".formatted(kind));

    assertThat(outcome.err()).startsWith("default/%s starts now, 4 pods:".formatted(gang));
    assertThat(outcome.code()).isZero();
  }

  @Test
  void launcher_without_a_gpu_is_in_the_gang_of_its_workers() throws IOException {
    assertThat(asked(FOUR, "--gpus 24 --kind mpijob --image i -- mpirun").err())
        .startsWith("default/mpijob-mpirun starts now, 4 pods:");
  }

  @Test
  void job_for_few_gpus_is_one_pod() {
    List<JsonNode> written = written("--gpus 4 --image i", "torchrun");

    assertThat(written)
        .extracting(each -> each.path("kind").asText())
        .containsExactly("PodGroup", "Job");
    assertThat(written.getLast().at("/spec/template/spec/containers/0/env"))
        .extracting(each -> each.path("name").asText())
        .containsExactly("PET_NNODES", "PET_NPROC_PER_NODE");
  }

  @Test
  void job_that_waits_is_written_with_its_reason() throws IOException {
    Outcome outcome = asked("b1/r1: n1[....####] n2[........]", "--gpus 16 --image i -- a");

    assertThat(outcome.err()).startsWith("default/a waits.").contains("WaitingForCapacity");
    assertThat(outcome.out()).contains("minMember: 2");
  }

  @Test
  void job_of_a_spent_budget_is_written_with_its_reason() throws IOException {
    Outcome outcome = asked(snapshot(FOUR, budgetSpent()), "--gpus 16 --image i -- a");

    assertThat(outcome.err().lines())
        .containsExactly("default/a waits.", "  BudgetSpent: " + SPENT);
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).contains("minMember: 2");
  }

  @Test
  void job_that_never_starts_is_not_written() throws IOException {
    Outcome outcome = asked(FOUR, "--gpus 8 --model GB200 --image i -- a");

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err())
        .startsWith("default/a never starts as it is.")
        .contains("GB200")
        .endsWith("Nothing was written. --no-fit does not ask.%n".formatted());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "on",
        "0x10",
        "1e3",
        "a: b",
        "# no",
        "- x",
        "null",
        "\u202e",
        "two\nlines",
        "{}",
        "*",
        "'",
        ""
      })
  void any_argument_is_read_back_from_the_yaml(String argument) {
    assertThat(only("--kind jobset --gpus 8 --image i --name n", "run", argument).toString())
        .contains("\"command\":" + JsonNodeFactory.instance.arrayNode().add("run").add(argument));
  }

  @Test
  void objects_as_json_are_one_list() {
    Outcome outcome = submit("--gpus", "16", "--image", "i", "-o", "json", "--no-fit", "--", "a");

    assertThat(outcome.out()).contains("\"kind\" : \"List\"");
  }

  @Test
  void claims_are_mounted_where_the_user_says() {
    JsonNode pod =
        written("--gpus 8 --image i --mount data:/data --mount data:/more -e A=1", "a")
            .getLast()
            .at("/spec/template/spec");

    assertThat(pod.path("volumes")).hasSize(1);
    assertThat(pod.at("/containers/0/volumeMounts"))
        .extracting(each -> each.path("mountPath").asText())
        .containsExactly("/data", "/more");
    assertThat(pod.at("/containers/0/env/0/value").asText()).isEqualTo("1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--gpus 0 --image i -- a|--gpus is 0",
        "--gpus 12 --image i -- a|--per-node is 8, but --gpus 12 is no multiple of it",
        "--gpus 8 --per-node -1 --image i -- a|--per-node is -1",
        "--gpus 8 --image i|--name is missing",
        "--gpus 8 --image i -- ./Train.sh|--name is \"Train\"",
        "--gpus 8 --image i --cpu many -- a|--cpu is \"many\"",
        "--gpus 8 --image i --runtime long -- a|--runtime: \"long\" is not a duration",
        "--gpus 8 --image i --mount data -- a|--mount is \"data\"",
        "--gpus 8 -- a|--image",
        "--gpus 8 --image  -- a|--image is \"\"",
        "--gpus 8 --image x\\ny -- a|--image is \"x y\". It must not have the character U+000A",
        "--gpus 8 --image i --gpu-resource  -- a|--gpu-resource is \"\"",
        "--gpus 8 --image i --kind pod -- a|pod"
      })
  void wrong_option_is_refused_with_its_value(String command, String error) {
    Outcome outcome = submit(command.replace("\\n", "\n").split(" ", -1));

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains(error);
    assertThat(outcome.out()).isEmpty();
  }

  /// Each option that takes a text; `--image` is above.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--cpu",
        "--gpu-resource",
        "--memory",
        "--model",
        "--mount",
        "--name",
        "--namespace",
        "--priority-class",
        "--queue",
        "--runtime",
        "--scheduler",
        "--topology-preferred",
        "--topology-required",
      })
  void option_with_a_line_break_is_refused(String option) {
    Outcome outcome = submit("--gpus", "8", "--image", "i", "--no-fit", option, "x\ny", "--", "a");

    assertThat(outcome.err())
        .contains(option + " is \"x y\". It must not have the character U+000A");
    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
  }

  @Test
  void variable_may_have_any_value_but_not_any_name() {
    assertThat(submit("--gpus", "8", "--image", "i", "--no-fit", "-e", "A=x\ny", "--", "a").code())
        .isZero();
    assertThat(submit("--gpus", "8", "--image", "i", "-e", "A\u202e=x", "--", "a").err())
        .contains("--env is \"A \". It must not have the character U+202E");
  }

  @Test
  void job_is_written_where_no_cluster_can_be_asked() throws IOException {
    Path none = folder.resolve("none.yaml");

    Outcome outcome =
        submit("--kubeconfig", none.toString(), "--gpus", "8", "--image", "i", "--", "a");

    assertThat(outcome.err()).startsWith("It is not known if the job fits: " + none);
    assertThat(outcome.out()).contains("kind: Job", "nvidia.com/gpu");
  }
}
