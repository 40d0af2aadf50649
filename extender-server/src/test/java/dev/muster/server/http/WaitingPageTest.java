package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Policies;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The line of waiting gangs is served over a real connection, each caller's part of it.
class WaitingPageTest extends WaitingScene {
  private static final GangId WIDE = new GangId("ml", GangId.Origin.POD_GROUP, "wide");

  WaitingPageTest() throws IOException {}

  private static List<String> lines(JsonNode page) {
    List<String> lines = new ArrayList<>();
    for (JsonNode item : page.path("items")) {
      lines.add(
          "%s/%s %s %s"
              .formatted(
                  item.path("namespace").asText(),
                  item.path("name").asText(),
                  item.path("position").asText("-"),
                  item.path("positionInQueue").asText("-")));
    }
    return lines;
  }

  @Test
  void shows_the_line_with_positions_and_last_those_that_never_start() throws Exception {
    JsonNode page = page("/api/v1/waiting");

    assertThat(lines(page)).containsExactly("bio/c 1 1", "ml/a 2 1", "ml/b 3 2", "ml/wide - -");
    assertThat(page.path("total")).hasToString("{\"gangs\":4,\"gpus\":36}");
    assertThat(page.path("reasons"))
        .hasToString(
            "[{\"reason\":\"ImpossibleRequest\",\"gangs\":1,\"gpus\":16},{\"reason\":\"WaitingForCapacity\",\"gangs\":3,\"gpus\":20}]");
    assertThat(page.has("others")).isFalse();
    assertThat(page.has("next")).isFalse();
  }

  @Test
  void shows_what_a_gang_waits_for() throws Exception {
    JsonNode first = page("/api/v1/waiting?limit=1").path("items").path(0);

    assertThat(first)
        .hasToString(
            "{\"namespace\":\"bio\",\"name\":\"c\",\"origin\":\"PodGroup\",\"queue\":\"biology\",\"user\":\"ann\",\"verdict\":\"Waits\",\"position\":1,\"positionInQueue\":1,\"priority\":0,\"gpus\":8,\"shape\":[{\"pods\":1,\"gpus\":8}],\"models\":[],\"since\":\"2026-11-21T12:00:10Z\",\"reason\":\"WaitingForCapacity\",\"message\":\"Needs"
                + " 8 nvidia.com/gpu; free on matching nodes: 0 nvidia.com/gpu.\"}");
  }

  @Test
  void pages_of_one_show_every_gang_once() throws Exception {
    List<String> seen = new ArrayList<>();
    String after = "";
    do {
      JsonNode page = page("/api/v1/waiting?limit=1" + after);
      seen.addAll(lines(page));
      after = page.has("next") ? "&after=" + page.path("next").asText() : "";
    } while (!after.isEmpty());

    assertThat(seen).containsExactly("bio/c 1 1", "ml/a 2 1", "ml/b 3 2", "ml/wide - -");
  }

  /// The queue may be hidden from the caller, and who reads `next` can decode it.
  @Test
  void next_is_the_same_whatever_the_share_of_the_queue() throws Exception {
    String first = next("namespace=ml&limit=1");
    String share = share();

    image = image.with(image.cluster().apply(new Event.Tick(NOW.plusSeconds(3_600))));

    assertThat(share()).isNotEqualTo(share);
    assertThat(next("namespace=ml&limit=1")).isEqualTo(first);
  }

  private String next(String query) throws Exception {
    return page("/api/v1/waiting?" + query).path("next").asText();
  }

  private String share() throws Exception {
    return page("/api/v1/gangs/ml/a").at("/rank/share").asText();
  }

  @Test
  void gang_that_leaves_between_two_pages_shifts_none() throws Exception {
    String next = next("limit=2");
    leaves("ml", "a");

    assertThat(lines(page("/api/v1/waiting?after=" + next)))
        .containsExactly("ml/b 2 1", "ml/wide - -");
  }

  @Test
  void last_gang_of_its_queue_that_leaves_between_two_pages_hides_none() throws Exception {
    String next = next("limit=1");
    leaves("bio", "c");

    assertThat(lines(page("/api/v1/waiting?after=" + next)))
        .containsExactly("ml/a 1 1", "ml/b 2 2", "ml/wide - -");
  }

  private void leaves(String namespace, String name) {
    GangId gang = new GangId(namespace, GangId.Origin.POD_GROUP, name);
    MemberId pod = new MemberId(namespace, name + "-0", "uid-" + name);
    for (Event event :
        List.of(new Event.MemberGone(NOW, gang, pod), new Event.GangGone(NOW, gang))) {
      image = new Engine(Policies.DEFAULT).step(image, event).after();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "queue=biology -> bio/c",
        "namespace=ml -> ml/a ml/b ml/wide",
        "reason=ImpossibleRequest -> ml/wide",
        "user=ann -> bio/c ml/b",
        "user=ann&queue=research -> ml/b",
        "user=nobody -> "
      })
  void filters_show_a_part(String row) throws Exception {
    String[] parts = row.split(" -> ", -1);
    JsonNode page = page("/api/v1/waiting?" + parts[0]);

    List<String> names =
        lines(page).stream().map(line -> line.substring(0, line.indexOf(' '))).toList();
    assertThat(String.join(" ", names)).isEqualTo(parts[1]);
    assertThat(page.path("total").path("gangs").asInt()).isEqualTo(names.size());
  }

  /// Its last status says that it runs, since the engine has not looked at it again.
  @Test
  void gang_that_waits_again_is_found_by_the_reason_that_the_list_gives_it() throws Exception {
    Member pod = image.cluster().gang(WIDE).members().values().iterator().next();
    Member bound = pod.as(new MemberState.Bound(new NodeId("gpu-1"), NOW));
    image = new Engine(Policies.DEFAULT).step(image, new Event.MemberSeen(NOW, bound)).after();
    assertThat(page("/api/v1/gangs/ml/wide").path("reason").asText()).isEqualTo("Running");

    image = image.with(image.cluster().apply(new Event.MemberGone(NOW, WIDE, pod.id())));
    image = image.with(image.cluster().apply(new Event.MemberSeen(NOW, pod)));

    List<String> reasons = page("/api/v1/waiting").path("reasons").findValuesAsText("reason");
    assertThat(reasons).contains("PendingEvaluation");
    for (String reason : reasons) {
      assertThat(page("/api/v1/waiting?reason=" + reason).path("items").findValuesAsText("reason"))
          .isNotEmpty()
          .containsOnly(reason);
    }
  }

  @Test
  void tenant_keeps_the_position_among_all_and_sees_no_name_of_others() throws Exception {
    HttpResponse<String> answer = get("/api/v1/waiting", "Authorization", "ml");
    JsonNode page = MAPPER.readTree(answer.body());

    assertThat(lines(page)).containsExactly("ml/a 2 1", "ml/b 3 2", "ml/wide - -");
    assertThat(page.path("others")).hasToString("{\"gangs\":1,\"gpus\":8}");
    assertThat(answer.body()).doesNotContain("bio", "\"c\"");
  }

  /// Else a caller could guess the names of others by filters.
  @Test
  void others_are_counted_whatever_the_filter() throws Exception {
    for (String filter : List.of("user=ann", "namespace=bio", "queue=biology", "user=nobody")) {
      assertThat(page("/api/v1/waiting?" + filter, "Authorization", "ml").path("others"))
          .hasToString("{\"gangs\":1,\"gpus\":8}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "waiting?quue=x -> The parameter \"quue\" is not known. Did you mean \"queue\"? Known:"
            + " after, limit, namespace, offset, queue, reason, sort, user.",
        "waiting?limit=0 -> The parameter \"limit\" must be 1 to 500.",
        "waiting?limit=x -> The parameter \"limit\" must be 1 to 500.",
        "waiting?limit=501 -> The parameter \"limit\" must be 1 to 500.",
        "waiting?after=x -> The parameter \"after\" must be the value of \"next\" of the page"
            + " before.",
        "waiting?user=a&user=b -> The parameter \"user\" is given twice.",
        "waiting?sort=x -> The parameter \"sort\" must be one of position, wait, gpus.",
        "waiting?reason=Typo -> The parameter \"reason\" must be one of AvoidedNodes, BudgetSpent,"
            + " Fragmented, GatheringTimedOut, ImpossibleRequest, InvalidSpecification,"
            + " NoMatchingNodes, NoModelHasRoom, NotBoundInTime, PendingEvaluation,"
            + " PodGroupMissing, QueueForbidden, QuotaExhausted, RecordRefused, ReservedForOther,"
            + " StartRefused, TooBigForQueue, TopologyUnsatisfied, UnknownQueue,"
            + " UnknownTopologyLevel, WaitingForCapacity, WaitingForMembers, WouldDelayOther.",
        "waiting?offset=-1 -> The parameter \"offset\" must be 0 to 9999999.",
        "waiting?sort=gpus&after=x -> The parameter \"after\" is a place in the line. With"
            + " \"sort\", use \"offset\".",
        "gangs?x=1 -> The parameter \"x\" is not known. Known: limit, name, namespace, offset, pod,"
            + " queue, sort, user, verdict.",
        "gangs?verdict=Run -> The parameter \"verdict\" must be one of Runs, Starts, Waits, Never,"
            + " Ended, or several with commas.",
        "nodes?x=1 -> The parameter \"x\" is not known. Known: limit, offset, sort.",
        "queues?x -> The parameter \"x\" is not known. Known: limit, offset, sort.",
        "preemptions?since=1h -> The parameter \"since\" is not known. This page has no"
            + " parameters.",
        "server?x=1 -> The parameter \"x\" is not known. This page has no parameters.",
        "gangs/ml/a?x=1 -> The parameter \"x\" is not known. Known: origin.",
        "gangs/ml/a?origin=x -> The parameter \"origin\" must be one of PodGroup, Native, Volcano,"
            + " Pod."
      })
  void unknown_parameters_are_refused(String row) throws Exception {
    String[] parts = row.split(" -> ", -1);
    HttpResponse<String> answer = get("/api/v1/" + parts[0]);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(MAPPER.readTree(answer.body()).path("error").asText()).isEqualTo(parts[1]);
  }

  @Test
  void gangs_are_found_by_a_pod() throws Exception {
    assertThat(page("/api/v1/gangs?namespace=ml&pod=a-0").path("items").findValuesAsText("user"))
        .containsExactly("bob");
  }

  @Test
  void gang_states_verdict_shape_and_start() throws Exception {
    assertThat(get("/api/v1/gangs/ml/train").body())
        .contains(
            "\"verdict\":\"Runs\",\"startedAt\":\"2026-11-21T12:00:00Z\",\"gpus\":24,\"shape\":[{\"pods\":3,\"gpus\":8}]");
    assertThat(page("/api/v1/gangs/ml/wide").path("verdict").asText()).isEqualTo("Never");
    assertThat(get("/api/v1/gangs/ml/a").body())
        .contains("\"verdict\":\"Waits\"", "\"position\":2,\"positionInQueue\":1");
  }

  @Test
  void nodes_name_only_the_gangs_that_the_caller_sees() throws Exception {
    JsonNode seen = page("/api/v1/nodes", "Authorization", "ml").path("items").path(1);
    JsonNode hidden = page("/api/v1/nodes", "Authorization", "bio").path("items").path(1);

    assertThat(seen.path("gangs"))
        .hasToString(
            "[{\"namespace\":\"ml\",\"name\":\"train\",\"pods\":1,\"gpus\":8,\"promisedPods\":0}]");
    assertThat(hidden.path("gangs")).isEmpty();
    assertThat(hidden.path("otherPods")).hasToString("{\"pods\":1,\"gpus\":8}");
  }

  @Test
  void server_states_release_leader_and_time() throws Exception {
    assertThat(get("/api/v1/server").body())
        .isEqualTo(
            "{\"apiVersion\":\"api.muster.dev/v1\",\"kind\":\"Server\",\"release\":\"1.2.3\",\"leading\":false,\"ready\":true,\"counts\":{\"nodes\":4,\"gangs\":5,\"waiting\":4},\"asOf\":\"2026-11-21T12:00:30Z\",\"version\":%d}"
                .formatted(image.cluster().version()));
  }

  @Test
  void unchanged_page_is_not_sent_again() throws Exception {
    for (String page : List.of("waiting", "gangs", "gangs/ml/a", "nodes", "queues", "server")) {
      HttpResponse<String> first = get("/api/v1/" + page);
      String tag = first.headers().firstValue("ETag").orElseThrow();
      HttpResponse<String> again = get("/api/v1/" + page, "If-None-Match", "\"x\", " + tag);

      assertThat(again.statusCode()).as(page).isEqualTo(304);
      assertThat(again.body()).isEmpty();
      assertThat(again.headers().firstValue("ETag")).contains(tag);
    }
  }

  @Test
  void page_that_differs_in_its_moment_alone_is_not_sent_again() throws Exception {
    String tag = get("/api/v1/waiting").headers().firstValue("ETag").orElseThrow();

    image = image.with(image.cluster().apply(new Event.Tick(NOW.plusSeconds(60))));

    assertThat(get("/api/v1/waiting", "If-None-Match", tag).statusCode()).isEqualTo(304);
  }

  @Test
  void gangs_are_found_by_name() throws Exception {
    assertThat(page("/api/v1/gangs?name=a").path("items").findValuesAsText("namespace"))
        .containsExactly("ml");
  }

  @Test
  void lone_pod_with_the_name_of_a_pod_group_is_found_by_its_kind() throws Exception {
    for (Event event : ServerImages.lonePod("train", 8)) {
      image = new Engine(Policies.DEFAULT).step(image, event).after();
    }

    assertThat(page("/api/v1/gangs/ml/train?origin=Pod").path("origin").asText()).isEqualTo("Pod");
    assertThat(page("/api/v1/gangs/ml/train").path("origin").asText()).isEqualTo("PodGroup");
    assertThat(get("/api/v1/gangs/ml/train?origin=Volcano").statusCode()).isEqualTo(404);
  }

  @Test
  void value_of_a_parameter_is_not_taken_for_another_parameter() throws Exception {
    page("/api/v1/gangs?namespace=ml&queue=research");

    assertThat(page("/api/v1/gangs?namespace=ml,%20queue=research").path("items")).isEmpty();
  }

  @Test
  void changed_page_and_page_of_another_caller_are_sent() throws Exception {
    String tag = get("/api/v1/waiting").headers().firstValue("ETag").orElseThrow();
    assertThat(get("/api/v1/waiting", "If-None-Match", tag, "Authorization", "ml").statusCode())
        .isEqualTo(200);

    submit("ml", "new", "research", 8, 40, Map.of());

    assertThat(get("/api/v1/waiting", "If-None-Match", tag).statusCode()).isEqualTo(200);
  }
}
