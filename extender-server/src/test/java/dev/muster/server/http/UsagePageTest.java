package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import dev.muster.core.state.Step;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.usage.UsageBook;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `/api/v1/usage` shows GPU-hours of what the caller may see.
class UsagePageTest extends HttpFrontScene {
  private final UsageBook book = UsageBook.inMemory();
  private final AtomicReference<PageView> view = new AtomicReference<>(PageView.WHOLE);

  UsagePageTest() throws IOException {}

  @Override
  HttpDependencies parts() {
    return super.parts()
        .accounting(book)
        .reviewing((_, answer) -> answer.accept(new PageAccess.Granted(view.get())));
  }

  /// Two gangs of 8 GPUs run for an hour.
  @BeforeEach
  void run() throws IOException {
    front.close();
    front = start(); // the first one began before this book was there
    ServerImages running =
        ServerImages.cluster().train(2).bound("r0", "gpu-1").bound("r1", "gpu-2");
    book.note(new Step(running.state(), List.of(), List.of()));
    book.note(
        new Step(
            running.after(new Event.Tick(ServerImages.NOW.plusSeconds(3_600))).state(),
            List.of(),
            List.of()));
    book.write();
    image.set(running.state());
  }

  @Test
  void hours_are_added_up_by_queue_unless_said() throws Exception {
    assertThat(get("/api/v1/usage").body())
        .contains(
            "\"since\":\"2026-10-23\",\"until\":\"2026-11-21\"",
            "\"items\":[{\"queue\":\"research\",\"milliGpuHours\":16000,\"milliGpuSeconds\":57600000}]",
            "\"total\":{\"milliGpuHours\":16000,\"milliGpuSeconds\":57600000}",
            "\"kept\":false")
        .doesNotContain("others");
  }

  @Test
  void columns_are_in_one_order() throws Exception {
    assertThat(get("/api/v1/usage?by=model,day").body())
        .contains(
            "{\"day\":\"2026-11-21\",\"model\":\"\",\"milliGpuHours\":16000,\"milliGpuSeconds\":57600000}");
  }

  @Test
  void namespaces_of_others_are_a_number() throws Exception {
    view.set(new PageView(Set.of(), GangScope.all("other"), false));

    assertThat(get("/api/v1/usage?by=namespace").body())
        .contains(
            "\"items\":[]", "\"others\":{\"milliGpuHours\":16000,\"milliGpuSeconds\":57600000}")
        .doesNotContain("ml");
  }

  @Test
  void days_without_usage_have_no_items() throws Exception {
    assertThat(get("/api/v1/usage?since=2026-01-01&until=2026-01-31").body())
        .contains("\"items\":[]", "\"total\":{\"milliGpuHours\":0,\"milliGpuSeconds\":0}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "by=team|has 'team', which is not known. Known: day, queue, namespace, user, project, model.",
        "by=|has '', which is not known.",
        "by=modle|Did you mean 'model'?",
        "since=yesterday|The parameter 'since' must be a day, such as 2026-11-27.",
        "since=2026-02-30|The parameter 'since' must be a day",
        "since=%2B999999999-01-01|The parameter 'since' must be a day",
        "since=2026-11-21&until=2026-11-20|since (2026-11-21) is after until (2026-11-20).",
        "day=2026-11-21|The parameter 'day' is not known."
      })
  void wrong_query_is_refused(String query, String problem) throws Exception {
    var answer = get("/api/v1/usage?" + query);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body().replace("\\\"", "'")).contains(problem);
  }

  /// Pods of so many users run for all of the 400 days that are kept.
  private String usage(int users) throws Exception {
    Scene scene = Scene.of("b1/r1: n1[%s]".formatted(".".repeat(users)));
    for (int user = 0; user < users; user++) {
      GangDraft gang = GangDraft.gang("g" + user).of(1, 1);
      var label = new TreeMap<>(Map.of(WellKnownNames.USER, "u" + user));
      scene.then(new Event.GangSeen(Scene.START, gang.spec().labelled(label)));
      var bound = new MemberState.Bound(new NodeId("n1"), Scene.START);
      scene.then(new Event.MemberSeen(Scene.START, gang.members().getFirst().as(bound)));
    }
    scene.then(new Event.Tick(Scene.START.plus(Duration.ofDays(400))));
    book.note(new Step(scene.state(), List.of(), List.of()));
    book.write();
    return get("/api/v1/usage?by=day,user&queue=ml&since=2026-01-01&until=2028-01-01").body();
  }

  @Test
  void answer_has_up_to_ten_thousand_items() throws Exception {
    assertThat(usage(25)).contains("\"total\":{\"milliGpuHours\":240000000,");
  }

  @Test
  void answer_with_more_items_is_refused() throws Exception {
    assertThat(usage(26)).contains("This usage has more than 10,000 items. Ask for fewer days");
  }
}
