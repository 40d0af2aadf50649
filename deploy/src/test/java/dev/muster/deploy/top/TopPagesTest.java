package dev.muster.deploy.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.deploy.client.GivenPages;
import org.junit.jupiter.api.Test;

/// The live screen asks for no more than it shows.
class TopPagesTest {
  private final GivenPages source = new GivenPages();

  @Test
  void only_rows_in_sight_are_asked_for() {
    TopPages.read(source, new TopState(TopView.WAITING, "gpus", 40, false), 17, "&namespace=ml");

    assertThat(source.asked())
        .containsExactlyInAnyOrder(
            "/api/v1/waiting?limit=17&offset=40&sort=gpus&namespace=ml",
            "/api/v1/gangs?verdict=Runs,Starts&limit=1&offset=0&sort=gpus&namespace=ml",
            "/api/v1/nodes?limit=1&offset=0&sort=name",
            "/api/v1/server",
            "/api/v1/waiting?limit=1&sort=wait");
  }

  @Test
  void queues_are_asked_for_only_in_sight() {
    TopPages.read(source, new TopState(TopView.QUEUES, "name", 0, false), 17, "");

    assertThat(source.asked()).contains("/api/v1/queues?limit=17&offset=0&sort=name");
  }

  @Test
  void very_high_terminal_asks_for_no_more_than_a_page_has() {
    TopPages.read(source, TopState.FIRST, 5_000, "");

    assertThat(source.asked()).contains("/api/v1/waiting?limit=500&offset=0&sort=position");
  }
}
