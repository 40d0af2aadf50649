package dev.muster.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.http.access.GangScope;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Streams are read over real connections; the clock is the test's.
class ChangeStreamsTest {
  private final StreamServer server = new StreamServer();

  ChangeStreamsTest() throws Exception {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void new_stream_is_told_to_read_and_then_what_changes() throws Exception {
    try (StreamServer.Reader reader = server.open("/")) {
      assertThat(reader.event()).isEqualTo("event: read data: {\"version\":0}");

      server.see("ml", "train");
      server.tick();

      assertThat(reader.event())
          .isEqualTo("event: changed data: {\"version\":1,\"gangs\":[\"ml/train\"],\"nodes\":[]}");
    }
  }

  @Test
  void tenant_is_told_names_of_its_own_and_numbers_of_others() throws Exception {
    try (StreamServer.Reader reader = server.open("/ml")) {
      reader.event();

      server.see("ml", "train");
      server.see("bio", "secret");
      server.tick();

      assertThat(reader.event())
          .isEqualTo(
              "event: changed data:"
                  + " {\"version\":2,\"gangs\":[\"ml/train\"],\"nodes\":[],\"others\":{\"gangs\":1,\"nodes\":0}}");
    }
  }

  @Test
  void caller_that_comes_back_is_told_what_it_missed() throws Exception {
    String id;
    try (StreamServer.Reader reader = server.open("/")) {
      id = reader.next("id: ");
    }
    server.see("ml", "a");
    server.tick();
    server.see("ml", "b");
    server.tick();

    try (StreamServer.Reader reader = server.open("/", "Last-Event-ID: " + id.substring(4))) {
      server.tick();

      assertThat(reader.event())
          .isEqualTo(
              "event: changed data: {\"version\":2,\"gangs\":[\"ml/a\",\"ml/b\"],\"nodes\":[]}");
    }
  }

  @Test
  void caller_of_another_process_is_told_to_read() throws Exception {
    try (StreamServer.Reader reader = server.open("/", "Last-Event-ID: 0123-0")) {
      assertThat(reader.event()).isEqualTo("event: read data: {\"version\":0}");
    }
  }

  @Test
  void fifty_streams_are_told() throws Exception {
    List<StreamServer.Reader> readers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      StreamServer.Reader reader = server.open("/");
      reader.event();
      readers.add(reader);
    }

    server.see("ml", "train");
    server.tick();

    for (StreamServer.Reader reader : readers) {
      assertThat(reader.event()).contains("ml/train");
      reader.close();
    }
  }

  @Test
  void stream_beyond_the_limit_is_refused() throws Exception {
    List<StreamServer.Reader> readers = new ArrayList<>();
    for (int i = 0; i < ChangeStreams.MOST; i++) {
      StreamServer.Reader reader = server.open("/");
      reader.event();
      readers.add(reader);
    }

    try (StreamServer.Reader more = server.connect("/")) {
      assertThat(more.line()).isEqualTo("HTTP/1.1 503 Service Unavailable");
    }
    for (StreamServer.Reader reader : readers) {
      reader.close();
    }
  }

  @Test
  void other_address_gets_a_stream_of_the_address_that_has_all() throws Exception {
    List<StreamServer.Reader> readers = new ArrayList<>();
    for (int i = 0; i < ChangeStreams.MOST; i++) {
      StreamServer.Reader reader = server.open("/");
      reader.event();
      readers.add(reader);
    }

    try (StreamServer.Reader other = server.openFrom("127.0.0.2")) {
      assertThat(other.event()).isEqualTo("event: read data: {\"version\":0}");
    }
    assertThat(readers.getLast().next("0")).isEqualTo("0"); // the last chunk
    for (StreamServer.Reader reader : readers) {
      reader.close();
    }
  }

  /// Each tick names 400 gangs with long names, so the buffers of the connection are full soon.
  @Test
  void stream_of_a_caller_that_does_not_read_is_over() throws Exception {
    try (StreamServer.Reader slow = server.open("/");
        StreamServer.Reader other = server.open("/")) {
      other.event();
      for (int round = 0; round < 2_000 && server.streams.size() == 2; round++) {
        for (int i = 0; i < 400; i++) {
          server.see("ml", "n".repeat(200) + round + "-" + i);
        }
        server.tick();
        assertThat(other.event()).contains("changed");
      }

      assertThat(server.streams.size()).isEqualTo(1);
      assertThat(slow.socket().isClosed()).isFalse(); // by the caller
    }
  }

  @Test
  void silent_stream_has_a_heartbeat() throws Exception {
    try (StreamServer.Reader reader = server.open("/")) {
      reader.event();

      server.tick(Duration.ofSeconds(16));

      assertThat(reader.next(":")).isEqualTo(":");
    }
  }

  @Test
  void stream_ends_with_the_right_to_it() throws Exception {
    try (StreamServer.Reader reader = server.open("/")) {
      reader.event();
      server.rights = new PageAccess.Denied(401, "The token has expired.");

      server.tick(Duration.ofSeconds(31));

      assertThat(reader.next("0")).isEqualTo("0"); // the last chunk
    }
  }

  @Test
  void right_that_is_lost_is_not_used_longer_than_the_answer_at_the_begin() throws Exception {
    server.age = Duration.ofSeconds(29);
    try (StreamServer.Reader reader = server.open("/")) {
      reader.event();
      server.rights = new PageAccess.Denied(401, "The token has expired.");
      server.see("bio", "secret");

      server.tick(Duration.ofSeconds(2));

      assertThat(reader.rest()).isEmpty();
    }
  }

  @Test
  void right_that_is_lost_is_not_used_longer_than_the_answer_of_a_renewal() throws Exception {
    try (StreamServer.Reader reader = server.open("/")) {
      reader.event();
      server.age = Duration.ofSeconds(29);
      server.tick(Duration.ofSeconds(31));
      server.rights = new PageAccess.Denied(401, "The token has expired.");
      server.see("bio", "secret");

      server.tick(Duration.ofSeconds(2));

      assertThat(reader.rest()).isEmpty();
    }
  }

  @Test
  void changes_wait_while_the_api_server_does_not_answer() throws Exception {
    try (StreamServer.Reader reader = server.open("/")) {
      reader.event();
      PageAccess.Answer before = server.rights;
      server.rights = new PageAccess.Denied(503, "The API server does not answer.");
      server.see("ml", "early");
      server.tick(Duration.ofSeconds(31));
      server.await();
      server.rights = before;
      server.see("ml", "late");
      server.tick();

      assertThat(reader.event()).contains("[\"ml/early\",\"ml/late\"]");
    }
  }

  @Test
  void caller_whose_rights_change_is_told_to_read() throws Exception {
    try (StreamServer.Reader reader = server.open("/")) {
      reader.event();
      server.rights = new PageAccess.Granted(new PageView(Set.of(), GangScope.all("ml"), false));
      server.see("bio", "secret");
      server.tick(Duration.ofSeconds(31));
      server.await();
      server.tick();

      assertThat(reader.event()).isEqualTo("event: read data: {\"version\":1}");
    }
  }

  @Test
  void end_of_the_server_ends_the_streams() throws Exception {
    try (StreamServer.Reader reader = server.open("/")) {
      reader.event();

      server.streams.close();

      assertThat(reader.next("0")).isEqualTo("0");
    }
  }
}
