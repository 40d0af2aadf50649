package dev.muster.server.http.page;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.admission.Queues;
import dev.muster.core.cluster.Cluster;
import dev.muster.core.cluster.Gang;
import dev.muster.core.cluster.IntraNodeLinks;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.decision.Explanation;
import dev.muster.core.decision.Hint;
import dev.muster.core.decision.ReasonText;
import dev.muster.core.decision.StartFailureText;
import dev.muster.core.engine.StartHints;
import dev.muster.core.fit.Veto;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.node.AvoidedNodes;
import dev.muster.core.state.Effect;
import dev.muster.core.state.GangStatus;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.server.http.access.PageView;
import dev.muster.server.kube.client.WellKnownNames;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Renders gangs for the API.
public final class GangView {
  /// The version of all pages.
  public static final String API_VERSION = "api.muster.dev/v1";

  private GangView() {}

  /// Returns a gang as its own document.
  public static ObjectNode whole(Gang gang, State state, Policies policies, PageView view) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("apiVersion", API_VERSION).put("kind", "Gang");
    json.setAll(of(gang, state, policies.queues(), view));
    state.releaseAt(gang, policies).ifPresent(at -> json.put("releaseAt", at.toString()));
    if (state.waiting().classOf(gang.id()).isPresent()) {
      waiting(json, gang, state, policies, view);
    }
    return json;
  }

  /// Adds what concerns a waiting gang. That is the number of gangs ahead, the planned start with
  /// its nodes, what would allow an earlier start, and the nodes that refuse.
  private static void waiting(
      ObjectNode json, Gang gang, State state, Policies policies, PageView view) {
    json.put("before", state.before(gang.id(), policies.order()));
    state
        .cluster()
        .holds()
        .get(gang.id())
        .ifPresent(hold -> {
          ObjectNode planned = json.putObject("planned");
          planned.put("kind", camel(hold.kind()));
          hold.promised().ifPresent(start -> planned.put("start", start.toString()));
          ArrayNode nodes = planned.putArray("nodes");
          if (view.nodes()) {
            hold.shares().keys().forEach(node -> nodes.add(node.name()));
          } else {
            planned.put("otherNodes", hold.shares().size());
          }
        });
    ArrayNode sooner = json.putArray("sooner");
    StartHints.of(state, gang.id(), policies).stream()
        .filter(hint -> !(hint instanceof Hint.Leave leave) || view.sees(leave.gang()))
        .forEach(hint -> sooner.add(hint.sentence()));
    state.why(gang.id()).ifPresent(why -> refusals(json, why));
  }

  /// Adds how many nodes refuse a member for which reason, the most frequent first. Without a
  /// search for nodes nothing is added.
  private static void refusals(ObjectNode json, Explanation why) {
    if (why.nodes() == 0) {
      return;
    }
    json.put("consideredNodes", why.nodes());
    ArrayNode refusals = json.putArray("refusals");
    why.refusals()
        .forEach(count ->
            refusals
                .addObject()
                .put("reason", ReasonText.token(count.example()))
                .put("nodes", count.nodes()));
  }

  /// True if the filters of the query allow the gang.
  public static boolean isWanted(PageQuery query, Gang gang) {
    return query.allows(PageParameters.NAMESPACE, gang.id().namespace())
        && query.allows(PageParameters.NAME, gang.id().name())
        && query.allows(PageParameters.QUEUE, gang.queue())
        && query.allows(PageParameters.USER, user(gang).orElse(""))
        && query
            .value(PageParameters.POD)
            .map(pod -> gang.members().any(member -> member.id().name().equals(pod)))
            .orElse(true);
  }

  /// Returns the user that the label of the gang's object names.
  private static Optional<String> user(Gang gang) {
    return gang.spec().map(spec -> spec.labels().get(WellKnownNames.USER));
  }

  /// Adds the names of the gang.
  static void identity(ObjectNode json, Gang gang) {
    json.put("namespace", gang.id().namespace())
        .put("name", gang.id().name())
        .put("origin", camel(gang.id().origin()));
  }

  /// Adds the queue and the user of the gang.
  static void account(ObjectNode json, Gang gang) {
    gang.spec().map(GangSpec::queue).ifPresent(queue -> json.put("queue", queue));
    user(gang).ifPresent(user -> json.put("user", user));
  }

  /// Returns a gang as an entry of a list.
  public static ObjectNode of(Gang gang, State state, Queues queues, PageView view) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    identity(json, gang);
    json.put("phase", camel(state.cluster().phase(gang.id())));
    account(json, gang);
    json.put("verdict", GangOutlook.of(state, gang).word());
    GangOutlook.startedAt(gang).ifPresent(at -> json.put("startedAt", at.toString()));
    GangShape.of(gang).addTo(json);
    gang.constraints().gpus().models().forEach(json.putArray("models")::add);
    json.put("priority", gang.priority());
    QueueView.rank(json.putObject("rank"), gang, state.cluster(), queues, view);
    json.put("minCount", gang.minCount());
    json.put("present", gang.presentCount()).put("bound", gang.boundCount());
    reason(json, gang, state, view);
    Optional<Reservation> reservation = state.cluster().reservations().get(gang.id());
    members(json.putArray("members"), gang, state.cluster());
    reservation.ifPresent(held -> reservation(json.putObject("reservation"), held));
    avoided(json, state.cluster().avoided(gang.id()));
    return json;
  }

  /// Adds the nodes that the gang avoids, if there are any.
  private static void avoided(ObjectNode json, AvoidedNodes nodes) {
    for (AvoidedNodes.Failures known : nodes.failures()) {
      if (known.until().isPresent()) {
        json.withArray("avoidedNodes")
            .addObject()
            .put("node", known.node().name())
            .put("cause", camel(known.cause()))
            .put("until", known.until().get().toString())
            .put("message", StartFailureText.sentence(known));
      }
    }
  }

  /// Adds the reason of the current decision, which has the numbers of this image. Without a
  /// decision, the last published reason is used. Gangs that the caller may not see are not named.
  static void reason(ObjectNode json, Gang gang, State state, PageView view) {
    Optional<Veto> standing = state.why(gang.id()).flatMap(Explanation::main);
    Optional<GangStatus> shown = published(gang, state);
    json.put("reason", reason(gang, state));
    json.put(
        "message",
        standing
            .map(veto ->
                GangStatus.withIgnored(ReasonText.sentence(veto, gang.id(), view::sees), gang))
            .or(() -> shown.map(status -> published(status, gang, state, view)))
            .orElse(GangOutlook.waitsAsWhole(state, gang) ? "Not evaluated yet." : ""));
  }

  /// Returns the last published status. A gang that waits again may still have that of its run.
  private static Optional<GangStatus> published(Gang gang, State state) {
    boolean waits = GangOutlook.waitsAsWhole(state, gang);
    return state
        .publishedStatus(gang.id())
        .filter(status -> !waits || WaitingView.isReason(status.reason()));
  }

  /// Returns the published message. That of a preempted gang names the preemptor.
  private static String published(GangStatus status, Gang gang, State state, PageView view) {
    boolean hidden =
        status.reason().equals(Effect.PREEMPTED)
            && !view.seesAllGangs()
            && state
                .preemptions()
                .by(gang.id())
                .filter(preemption -> view.sees(preemption.gang()))
                .isEmpty();
    return hidden ? "Preempted for another gang." : status.message();
  }

  /// Returns the kinds of objects that the query allows, in their order.
  ///
  /// @throws MalformedQuery if it names another
  public static List<GangId.Origin> origins(PageQuery query) throws MalformedQuery {
    List<GangId.Origin> all = List.of(GangId.Origin.values());
    List<GangId.Origin> wanted =
        all.stream().filter(origin -> query.allows(PageParameters.ORIGIN, camel(origin))).toList();
    if (wanted.isEmpty()) {
      throw new MalformedQuery(
          "The parameter \"origin\" must be one of %s."
              .formatted(all.stream().map(GangView::camel).collect(Collectors.joining(", "))));
    }
    return wanted;
  }

  /// Returns the token of the reason.
  static String reason(Gang gang, State state) {
    return state
        .why(gang.id())
        .flatMap(Explanation::main)
        .map(ReasonText::token)
        .or(() -> published(gang, state).map(GangStatus::reason))
        .orElse(GangOutlook.waitsAsWhole(state, gang) ? WaitingView.NOT_EVALUATED : "");
  }

  private static void members(ArrayNode array, Gang gang, Cluster cluster) {
    Optional<Reservation> reservation = cluster.reservations().get(gang.id());
    Map<MemberId, IntraNodeLinks> links = IntraNodeLinks.of(cluster, gang.id());
    for (Member member : gang.members()) {
      ObjectNode json = array.addObject();
      json.put("name", member.id().name()).put("uid", member.id().uid()).put("rank", member.rank());
      json.put("gpus", member.request().gpus()).put("state", word(member.state()));
      member.node().map(NodeId::name).ifPresent(node -> json.put("node", node));
      reservation
          .flatMap(held -> held.promises().get(member.id()))
          .map(Promise::node)
          .ifPresent(node -> json.put("promised", node.name()));
      Optional.ofNullable(links.get(member.id()))
          .ifPresent(link -> link(json.putObject("link"), link));
    }
  }

  /// Adds the GPU links of a member. Without indexes, `mbps` is the minimum over the GPUs that the
  /// member may get.
  private static void link(ObjectNode json, IntraNodeLinks link) {
    link.gpus().forEach(json.putArray("gpus")::add);
    json.put("mbps", link.mbps());
  }

  private static String word(MemberState state) {
    return switch (state) {
      case MemberState.Held _ -> "Held";
      case MemberState.Waiting _ -> "Waiting";
      case MemberState.Bound _ -> "Bound";
      case MemberState.Leaving _ -> "Leaving";
      case MemberState.Ended(boolean succeeded, _) -> succeeded ? "Succeeded" : "Failed";
    };
  }

  private static void reservation(ObjectNode json, Reservation held) {
    json.put("since", held.since().toString()).put("until", held.until().toString());
    json.put("written", camel(held.written())).put("unbound", held.promises().size());
  }

  /// Returns `PodGroup` for `POD_GROUP`.
  private static String camel(Enum<?> constant) {
    StringBuilder text = new StringBuilder();
    for (String word : constant.name().split("_", -1)) {
      text.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }
}
