package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// `muster top` without a terminal.
class TopCommandTest {
  private static ClientScene scene;

  @BeforeAll
  static void start() throws IOException {
    scene = new ClientScene();
  }

  @AfterAll
  static void stop() {
    scene.close();
  }

  @Test
  void live_screen_needs_a_terminal_and_names_what_needs_none() {
    ClientScene.Outcome outcome = scene.run("top");

    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.err())
        .startsWith(
            "muster top: A live screen needs a terminal. For a file or a pipe there are --once and"
                + " muster queue -w.");
  }

  @Test
  void live_screen_refuses_an_interval_that_is_none() {
    assertThat(scene.run("top", "--once", "--interval", "0").err())
        .startsWith("muster top: The interval 0 (--interval) must be 1 to 3600 seconds.");
  }
}
