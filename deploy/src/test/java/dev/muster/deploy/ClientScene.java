package dev.muster.deploy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.core.node.GpuModel;
import dev.muster.core.node.Node;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.core.state.Step;
import dev.muster.core.topology.Topology;
import dev.muster.core.topology.TopologyLevel;
import dev.muster.policy.config.Budget;
import dev.muster.policy.config.Budget.OnExceeded;
import dev.muster.server.http.HttpDependencies;
import dev.muster.server.http.HttpFront;
import dev.muster.server.http.ListenOptions;
import dev.muster.server.http.ServerMetrics;
import dev.muster.server.http.WebhookOptions;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.http.page.ServerFacts;
import dev.muster.server.usage.UsageBook;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import picocli.CommandLine;

/// A Muster over HTTP with a small full cluster, at 12:14:07 UTC, and a command line that asks it.
///
/// ```
/// h-1, h-2   8 H100 each, all used by team-a/llama since 12:00
/// h-3        8 H100, 1 used by team-b/notebook
/// waiting    team-a/vit (2 x 8) since 12:01, team-b/eval (8) since 12:02, team-a/wide (16) never
/// ```
final class ClientScene implements AutoCloseable {
  private static final String GPU = "nvidia.com/gpu";
  private static final Instant START = Instant.parse("2026-11-27T12:00:00Z");

  private final ServerMetrics metrics;
  private final HttpFront front;
  private State image =
      State.empty(new Topology(List.of(new TopologyLevel("rack", "example.com/rack"))));

  /// The pods of a gang, with the GPUs of each.
  private record Pods(int count, int gpus, GangConstraints wishes) {}

  private static final GangConstraints H100 =
      GangConstraints.of(TopologyConstraint.NONE, new GpuModelPreference(List.of("H100"), false));

  private static GangConstraints running(Duration time) {
    return new GangConstraints(
        TopologyConstraint.NONE,
        GpuModelPreference.ANY,
        Optional.of(time),
        GangConstraints.NONE.stopping());
  }

  /// What a command printed and returned.
  record Outcome(int code, String out, String err) {}

  ClientScene() throws IOException {
    node("h-1", "r1");
    node("h-2", "r1");
    node("h-3", "r2");
    gang("team-a", "llama", 0, new Pods(2, 8, running(Duration.ofHours(1))), "h-1", "h-2");
    gang("team-b", "notebook", 0, new Pods(1, 1, GangConstraints.NONE), "h-3");
    step(new Event.Synced(START));
    gang("team-a", "vit", 60, new Pods(2, 8, H100));
    gang("team-b", "eval", 120, new Pods(1, 8, GangConstraints.NONE));
    gang("team-a", "wide", 180, new Pods(1, 16, GangConstraints.NONE));
    step(new Event.Tick(START.plusSeconds(846)));
    step(new Event.Tick(START.plusSeconds(847)));
    metrics = new ServerMetrics(() -> image);
    HttpDependencies dependencies =
        new HttpDependencies(
                () -> image,
                () -> Policies.DEFAULT,
                new PodScope(Set.of(GPU), Set.of("default-scheduler")),
                new WebhookOptions(true, true, _ -> Map.of()),
                metrics,
                () -> true)
            .noting(() -> List.of(stopped()))
            .accounting(counted())
            .running(new ServerFacts("1.2.3", () -> true))
            .reviewing(ClientScene::byNamespace);
    front =
        HttpFront.start(dependencies, new ListenOptions("127.0.0.1", 0, 1 << 20, Optional.empty()));
  }

  /// A caller sees the namespace that its token names, and no node; without token, everything.
  private static void byNamespace(PageAccess.Request request, Consumer<PageAccess.Answer> answer) {
    answer.accept(
        new PageAccess.Granted(
            request
                .authorization()
                .map(token -> token.replace("Bearer ", ""))
                .map(namespace -> new PageView(Set.of(), GangScope.all(namespace), false))
                .orElse(PageView.WHOLE)));
  }

  private UsageBook counted() throws IOException {
    List<Budget> budgets =
        List.of(
            new Budget(BudgetOwner.queue("team-a"), 10, Budget.Period.MONTH, OnExceeded.HOLD),
            new Budget(BudgetOwner.queue("team-a"), 3, Budget.Period.DAY, OnExceeded.TELL),
            new Budget(BudgetOwner.project("llm"), 500, Budget.Period.WEEK, OnExceeded.TELL));
    UsageBook book = UsageBook.open(Optional.empty(), 400, Queues.NONE, budgets, START);
    book.note(new Step(image, List.of(), List.of()));
    book.write();
    return book;
  }

  private static ObjectNode stopped() {
    ObjectNode act =
        new ObjectMapper()
            .createObjectNode()
            .put("at", "2026-11-27T12:00:30Z")
            .put("act", "decided")
            .put("gang", "team-b/notebook")
            .put("enforced", true)
            .put("reason", "WaitingForCapacity");
    act.putArray("victims")
        .addObject()
        .put("gang", "team-a/vit")
        .put("pods", 2)
        .put("rule", "higher-priority")
        .put("lostGpuSeconds", 4_320);
    return act;
  }

  private void step(Event event) {
    image = new Engine(Policies.DEFAULT).step(image, event).after();
  }

  private void node(String name, String rack) {
    Resources has = Resources.of(Map.of(GPU, 8L, Resources.CPU, 64_000L, Resources.PODS, 110L));
    Node node =
        new Node(
            new NodeId(name),
            new TreeMap<>(Map.of("example.com/rack", rack)),
            has,
            8,
            new GpuModel("H100", GpuModel.Kind.WHOLE, 0, ""),
            List.of(),
            false,
            List.of());
    step(new Event.NodeSeen(START, node));
  }

  private void gang(String namespace, String name, int second, Pods pods, String... nodes) {
    GangId gang = new GangId(namespace, GangId.Origin.POD_GROUP, name);
    Instant at = START.plusSeconds(second);
    GangSpec spec =
        GangSpec.of(gang, pods.count(), namespace, at)
            .wishing(pods.wishes())
            .labelled(new TreeMap<>(Map.of("muster.dev/user", "ann")));
    step(new Event.GangSeen(at, spec));
    Request request =
        Request.of(Resources.of(Map.of(GPU, (long) pods.gpus(), Resources.PODS, 1L)), pods.gpus());
    for (int i = 0; i < pods.count(); i++) {
      MemberState state =
          i < nodes.length
              ? new MemberState.Bound(new NodeId(nodes[i]), at)
              : new MemberState.Held(false);
      MemberId pod = new MemberId(namespace, name + "-" + i, "uid-" + name + i);
      Member member = new Member(pod, gang, i, 0, request, GangConstraints.NONE, state, at);
      step(new Event.MemberSeen(at, member));
    }
  }

  /// Returns the address of this server.
  String address() {
    return "http://127.0.0.1:" + front.port();
  }

  /// Runs a command against this server.
  Outcome run(String... words) {
    List<String> args = new ArrayList<>(List.of(words));
    args.add("--server");
    args.add(address());
    return command(args.toArray(String[]::new));
  }

  /// Runs a command.
  static Outcome command(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    CommandLine line = Muster.commandLine(args);
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return new Outcome(line.execute(args), out.toString(), err.toString());
  }

  @Override
  public void close() {
    front.close();
    metrics.close();
  }
}
