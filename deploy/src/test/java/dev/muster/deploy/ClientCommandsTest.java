package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The commands print what a real server answers, to the letter.
class ClientCommandsTest {
  private static ClientScene scene;

  @TempDir private Path folder;

  @BeforeAll
  static void start() throws IOException {
    scene = new ClientScene();
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  private static void prints(String text, int code, String... command) {
    ClientScene.Outcome outcome = scene.run(command);
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).isEqualToNormalizingNewlines(text);
    assertThat(outcome.code()).isEqualTo(code);
  }

  private String[] as(String namespace, String... command) throws IOException {
    Path token = Files.writeString(folder.resolve("token"), namespace + "\n");
    String[] all = Arrays.copyOf(command, command.length + 2);
    all[command.length] = "--token-file";
    all[command.length + 1] = token.toString();
    return all;
  }

  @Test
  void queue_shows_the_line() {
    prints(
        """
        POSITION   NAMESPACE   NAME   QUEUE    GPUS   SHAPE        WAIT   START       REASON
        1          team-b      eval   team-b   8      1 x 8        12m    13:00:00Z   WaitingForCapacity
        2          team-a      vit    team-a   16     2 x 8 H100   13m    -           WaitingForCapacity
        -          team-a      wide   team-a   16     1 x 16       11m    -           ImpossibleRequest
        3 waiting gangs, 40 GPUs. As of 12:14:07Z.
        """,
        0,
        "queue");
  }

  @Test
  void queue_of_a_tenant_keeps_positions_and_hides_names() throws IOException {
    prints(
        """
        POSITION   NAMESPACE   NAME   QUEUE    GPUS   SHAPE        WAIT   START   REASON
        2          team-a      vit    team-a   16     2 x 8 H100   13m    -       WaitingForCapacity
        -          team-a      wide   team-a   16     1 x 16       11m    -       ImpossibleRequest
        2 waiting gangs, 32 GPUs. 1 gang of others, 8 GPUs. As of 12:14:07Z.
        """,
        0,
        as("team-a", "queue", "-A"));
  }

  @Test
  void wide_queue_has_the_sentence() {
    prints(
        """
        2   team-a   vit    team-a   16   2 x 8 H100   13m   -   WaitingForCapacity   1   0   ann   Needs 16 nvidia.com/gpu; free on matching nodes: 7 nvidia.com/gpu.
        -   team-a   wide   team-a   16   1 x 16       11m   -   ImpossibleRequest    -   0   ann   Needs 16 GPUs on one node; the largest matching node has 8.
        """,
        0,
        "queue",
        "-o",
        "wide",
        "--no-headers",
        "-n",
        "team-a");
  }

  @Test
  void why_says_what_a_gang_waits_for() {
    prints(
        """
        team-a/vit waits 13m  queue team-a  priority 0  16 GPU (2 x 8 H100)  1st in team-a, 2nd of all
          WaitingForCapacity: Needs 16 nvidia.com/gpu; free on matching nodes: 7 nvidia.com/gpu.
          Stopped 12:00:30Z for team-b/notebook by the rule higher-priority; 1.2 GPU-hours were lost.
          Next: wait.
          Seen 12:14:07Z.
        """,
        2,
        "why",
        "vit",
        "-n",
        "team-a");
  }

  @Test
  void why_says_who_is_on_the_nodes_of_the_plan() {
    prints(
        """
        team-b/eval waits 12m  queue team-b  priority 0  8 GPU (1 x 8)  1st in team-b, 1st of all
          WaitingForCapacity: Needs 8 nvidia.com/gpu; free on matching nodes: 7 nvidia.com/gpu.
          Planned to start about 13:00:00Z (in 45m) on h-1.
            h-1  0/8 free  team-a/llama(8)
          Sooner: It could start when team-a/llama ends, expected at 2026-11-27T13:00:00Z.
          Next: one of the changes above, or wait.
          Seen 12:14:07Z.
        """,
        2,
        "why",
        "eval",
        "-n",
        "team-b");
  }

  @Test
  void why_of_a_tenant_names_no_gang_of_others_on_these_nodes() throws IOException {
    prints(
        """
        team-b/eval waits 12m  queue team-b  priority 0  8 GPU (1 x 8)  1st in team-b, 1st of all
          WaitingForCapacity: Needs 8 nvidia.com/gpu; free on matching nodes: 7 nvidia.com/gpu.
          Planned to start about 13:00:00Z (in 45m) on 1 node.
          Next: wait.
          Seen 12:14:07Z.
        """,
        2,
        as("team-b", "why", "eval", "-n", "team-b"));
  }

  @Test
  void why_says_that_a_gang_never_starts() {
    prints(
        """
        team-a/wide never starts as it is, waits 11m  queue team-a  priority 0  16 GPU (1 x 16)
          ImpossibleRequest: Needs 16 GPUs on one node; the largest matching node has 8.
          Next: change the gang, or the nodes. Waiting does not help.
          Seen 12:14:07Z.
        """,
        3,
        "why",
        "gang/wide",
        "-n",
        "team-a");
  }

  @Test
  void why_says_where_a_gang_runs() {
    prints(
        """
        team-a/llama runs 14m  queue team-a  priority 0  16 GPU (2 x 8)
          Running: 2 members run.
          On h-1 (1 pod), h-2 (1 pod).
          Seen 12:14:07Z.
        """,
        0,
        "why",
        "pod/llama-1",
        "-n",
        "team-a");
  }

  @Test
  void why_of_a_tenant_hides_the_names_of_others() throws IOException {
    prints(
        """
        team-a/vit waits 13m  queue team-a  priority 0  16 GPU (2 x 8 H100)  1st in team-a, 2nd of all
          WaitingForCapacity: Needs 16 nvidia.com/gpu; free on matching nodes: 7 nvidia.com/gpu.
          Stopped 12:00:30Z for a gang that you may not see by the rule higher-priority; 1.2 GPU-hours were lost.
          Next: wait.
          Seen 12:14:07Z.
        """,
        2,
        as("team-a", "why", "vit", "-n", "team-a"));
  }

  @Test
  void gangs_shows_running_and_waiting_ones() {
    prints(
        """
        NAMESPACE   NAME       QUEUE    STATE   BOUND   GPUS   SHAPE        RUNS
        team-a      llama      team-a   Runs    2/2     16     2 x 8        14m
        team-a      vit        team-a   Waits   0/2     16     2 x 8 H100   -
        team-a      wide       team-a   Never   0/1     16     1 x 16       -
        team-b      eval       team-b   Waits   0/1     8      1 x 8        -
        team-b      notebook   team-b   Runs    1/1     1      1 x 1        14m
        5 gangs. As of 12:14:07Z.
        """,
        0,
        "gangs");
  }

  @Test
  void share_shows_queues() {
    prints(
        """
        QUEUE    GUARANTEED   MAXIMUM   USED   BORROWED   WAITING   GPU-HOURS   SHARE
        team-a   -            -         16     -          16        3.8         19.8
        team-b   -            -         1      -          8         0.2         1.2
        2 queues. As of 12:14:07Z.
        """,
        0,
        "share");
  }

  @Test
  void usage_shows_gpu_hours() {
    prints(
        """
        USER   MODEL   GPU-HOURS   PART
        ann    H100    4.0         100 %
        4.0 GPU-hours from 2026-10-29 to 2026-11-27. Counted since the start at 2026-11-27T12:14:07Z; usage.store would keep it. As of 12:14:07Z.
        """,
        0, "usage", "--by", "user,model");
  }

  @Test
  void budgets_shows_when_they_end() {
    prints(
        """
        BUDGET         PERIOD   GPU-HOURS   USED   PART    ENDS
        queue/team-a   Month    10.0        3.8    37 %    2026-11-27
        queue/team-a   Day      3.0         3.8    125 %   spent
        project/llm    Week     500.0       0.0    0 %     -
        3 budgets. Counted since the start of Muster; usage.store would keep it. As of 12:14:07Z.
        """,
        0, "budgets");
  }

  @Test
  void budgets_of_others_are_a_number() throws IOException {
    prints(
        "0 budgets. 3 budgets of others. Counted since the start of Muster; usage.store would keep it. As of 12:14:07Z.\n",
        0,
        as("team-b", "budgets"));
  }

  @Test
  void nodes_shows_gangs_on_them() {
    prints(
        """
        NODE   DOMAIN   MODEL   GPUS   FREE   USED   PROMISED   STATE   GANGS
        h-1    r1       H100    8      0      8      0          Ready   team-a/llama(8)
        h-2    r1       H100    8      0      8      0          Ready   team-a/llama(8)
        h-3    r2       H100    8      7      1      0          Ready   team-b/notebook(1)
        3 nodes, 7 of 24 GPUs free. As of 12:14:07Z.
        """,
        0,
        "nodes");
  }

  @Test
  void nodes_are_sums_for_a_tenant() throws IOException {
    prints("3 nodes, 7 of 24 GPUs free. As of 12:14:07Z.\n", 0, as("team-b", "nodes"));
  }

  @Test
  void preemptions_shows_victims_and_losses() {
    prints(
        """
        AT          ACT       VICTIM       FOR               PODS   RULE              GPU-HOURS
        12:00:30Z   decided   team-a/vit   team-b/notebook   2      higher-priority   1.2
        0 preemptions under way, 1 act in the ledger. As of 12:14:07Z.
        """,
        0,
        "preemptions");
  }

  @Test
  void names_are_for_other_commands() {
    prints("gang/eval\ngang/vit\ngang/wide\n", 0, "queue", "-o", "name");
  }

  @Test
  void json_and_yaml_are_the_page() {
    assertThat(scene.run("queue", "-o", "json").out()).contains("\"kind\" : \"WaitingList\"");
    assertThat(scene.run("why", "vit", "-n", "team-a", "-o", "yaml").out())
        .contains("kind: \"Gang\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "why vit -> muster why: No gang default/vit was seen. There is one with -n team-a.",
        "why nothing -n team-a -> muster why: No gang team-a/nothing was seen.",
        "why pod/nothing -n team-a -> muster why: No gang has the pod team-a/nothing. Muster places"
            + " pods with GPUs, or with a PodGroup.",
        "why job/llama -n team-a -> muster why: With --server only gangs and pods are found: why"
            + " NAME or why pod/NAME. The owners of pods are known to the API server.",
        "why  -> muster why: TARGET is \"\". It must be NAME or KIND/NAME.",
        "why pod/ -> muster why: TARGET is \"pod/\". It must be NAME or KIND/NAME.",
        "why -> muster why: Missing required parameter: 'TARGET'"
      })
  void errors_of_why_have_the_code_one(String row) {
    String[] parts = row.split(" -> ", -1);
    ClientScene.Outcome outcome = scene.run(parts[0].split(" ", -1));

    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.err()).startsWith(parts[1]);
    assertThat(outcome.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://muster.example.com", "HTTP://muster.example.com"})
  void token_is_not_sent_where_it_can_be_read(String server) throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "secret");
    ClientScene.Outcome outcome =
        ClientScene.command("queue", "--server", server, "--token-file", token.toString());

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err()).contains("A token is a password.").doesNotContain("secret");
  }

  @Test
  void absent_server_is_named() {
    ClientScene.Outcome outcome = ClientScene.command("queue", "--server", "http://127.0.0.1:1");

    assertThat(outcome.code()).isEqualTo(3);
    assertThat(outcome.err())
        .isEqualToIgnoringNewLines(
            "muster queue: Muster does not answer at http://127.0.0.1:1: nobody listens there.");
  }

  @Test
  void completion_knows_commands_and_options() {
    assertThat(ClientScene.command("completion").out())
        .contains("complete -F", "preemptions", "--no-headers");
  }

  @Test
  void value_that_the_server_does_not_know_is_a_usage_error() {
    ClientScene.Outcome outcome = scene.run("queue", "--reason", "typo");
    assertThat(outcome.err()).startsWith("muster queue: The parameter \"reason\" must be one of");
    assertThat(outcome.code()).isEqualTo(2);
  }
}
