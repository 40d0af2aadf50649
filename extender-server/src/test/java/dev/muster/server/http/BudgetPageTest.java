package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.config.Budget;
import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import dev.muster.server.usage.BudgetMetrics;
import dev.muster.server.usage.BudgetStanding;
import dev.muster.server.usage.UsageBook;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `/api/v1/budgets` shows what is used of budgets, and when they end.
class BudgetPageTest extends HttpFrontScene {
  private final AtomicReference<PageView> view = new AtomicReference<>(PageView.WHOLE);
  private UsageBook book = UsageBook.inMemory();
  @TempDir Path folder = Path.of("");

  BudgetPageTest() throws IOException {}

  @Override
  HttpDependencies parts() {
    return super.parts()
        .accounting(book)
        .reviewing((_, answer) -> answer.accept(new PageAccess.Granted(view.get())));
  }

  /// Returns the page of the budgets of [BudgetScene].
  private String page() throws Exception {
    shows(BudgetScene.book());
    return get("/api/v1/budgets").body();
  }

  private void shows(UsageBook shown) throws Exception {
    front.close();
    book = shown;
    front = start(); // the first one began before this book was there
  }

  private static PageView in(String namespace) {
    return new PageView(Set.of(), GangScope.all(namespace), false);
  }

  @Test
  void budget_that_ends_says_when() throws Exception {
    assertThat(page())
        .contains(
            "{\"queue\":\"research\",\"period\":\"Day\",\"onExceeded\":\"Hold\",\"milliGpuHours\":48000,\"usedMilliGpuHours\":16000,\"gpus\":16,\"since\":\"2026-11-21T00:00:00Z\",\"until\":\"2026-11-22T00:00:00Z\",\"spent\":false,\"endsAt\":\"2026-11-21T15:00:00Z\"}");
  }

  @Test
  void spent_budget_does_not_end() throws Exception {
    assertThat(page())
        .contains(
            "\"period\":\"Week\",\"onExceeded\":\"Hold\",\"milliGpuHours\":16000,\"usedMilliGpuHours\":16000,\"gpus\":16,\"since\":\"2026-11-16T00:00:00Z\",\"until\":\"2026-11-23T00:00:00Z\",\"spent\":true}");
  }

  @Test
  void lasting_budget_does_not_end() throws Exception {
    assertThat(page()).contains("\"until\":\"2026-12-01T00:00:00Z\",\"spent\":false}");
  }

  @Test
  void answer_says_what_was_counted() throws Exception {
    assertThat(page())
        .contains("\"kept\":false", "\"countedSince\":\"2026-11-21T")
        .doesNotContain("others");
  }

  @Test
  void unreadable_usage_is_no_answer() throws Exception {
    shows(BudgetScene.unreadable(folder));

    assertThat(List.of("/api/v1/budgets", "/api/v1/usage", "/usage"))
        .allSatisfy(path -> {
          HttpResponse<String> answer = get(path);
          assertThat(answer.statusCode()).isEqualTo(503);
          assertThat(answer.body()).contains("The usage store cannot be read now");
        });
  }

  @Test
  void budgets_of_a_queue_are_for_those_who_see_it() throws Exception {
    view.set(in("research")); // without queues, this namespace is the queue
    assertThat(page())
        .contains("\"period\":\"Day\"", "\"period\":\"Month\"", "\"others\":{\"budgets\":1}")
        .doesNotContain("llm");
  }

  @Test
  void budgets_of_others_are_a_number() throws Exception {
    view.set(in("ml"));
    assertThat(page()).contains("\"items\":[]", "\"others\":{\"budgets\":4}");
  }

  @Test
  void metrics_have_the_budgets() throws Exception {
    UsageBook counted = BudgetScene.book();
    var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    List<Budget> budgets = counted.budgets().stream().map(BudgetStanding::budget).toList();
    new BudgetMetrics(registry, counted::budgets).register(budgets);

    assertThat(registry.scrape())
        .contains(
            "muster_budget_gpu_hours{kind=\"queue\",name=\"research\",on_exceeded=\"Hold\",period=\"Day\"} 48.0",
            "muster_budget_used_gpu_hours{kind=\"queue\",name=\"research\",on_exceeded=\"Hold\",period=\"Day\"} 16.0",
            "muster_budget_used_gpu_hours{kind=\"project\",name=\"llm\",on_exceeded=\"Tell\",period=\"Year\"} 0.0");
  }
}
