package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Event;
import dev.muster.core.state.State;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Requests share an image, but none gets an older one than it may.
class PageImageTest extends HttpFrontScene {
  private final AtomicReference<State> newest = new AtomicReference<>(image.get());
  private final PageImage pages = new PageImage(newest::get);

  PageImageTest() throws IOException {}

  /// Returns an image that is newer than the one of the server.
  private State other() {
    State other = ServerImages.cluster().train(2).state();
    while (other.cluster().version() <= image.get().cluster().version()) {
      other = other.with(other.cluster().apply(new Event.Tick(other.cluster().now())));
    }
    return other;
  }

  @Test
  void request_sees_what_was_published_before_it_came() {
    State other = other();
    newest.set(other);

    pages.refresh(System.nanoTime());

    assertThat(pages.get()).isSameAs(other);
  }

  @Test
  void request_that_waited_shares_the_image_of_an_earlier_one() {
    long arrival = System.nanoTime();
    pages.refresh(arrival);
    State shared = pages.get();
    newest.set(other());

    pages.refresh(arrival);

    assertThat(pages.get()).isSameAs(shared);
  }

  @Test
  void screen_is_as_new_as_the_stream_tells() throws Exception {
    HttpResponse<Stream<String>> stream =
        client.send(request("/changes").build(), HttpResponse.BodyHandlers.ofLines());
    try (Stream<String> lines = stream.body()) {
      Iterator<String> told = lines.iterator();
      await(told, "event: read");
      assertThat(get("/gangs").body()).contains("0 of 1").doesNotContain("0 of 2");
      image.set(other());

      await(told, "event: changed");

      assertThat(get("/gangs").body()).contains("0 of 2");
    }
  }

  private static void await(Iterator<String> lines, String line) {
    while (lines.hasNext() && !lines.next().equals(line)) {
      // other lines
    }
  }
}
