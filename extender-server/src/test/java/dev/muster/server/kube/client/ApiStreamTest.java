package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiStreamTest {
  /// A body that is received in pieces of one size. Reading it byte by byte fails.
  private static final class Pieces extends InputStream {
    private final InputStream text;
    private final int size;
    private long received;

    Pieces(String text, int size) {
      this.text = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
      this.size = size;
    }

    @Override
    public int read() {
      throw new AssertionError("one byte");
    }

    @Override
    public int read(byte[] into, int at, int most) throws IOException {
      int read = text.read(into, at, Math.min(size, most));
      received += Math.max(0, read);
      return read;
    }
  }

  private static ApiStream stream(InputStream body) {
    return new ApiStream(200, body, Duration.ofMinutes(1));
  }

  private static List<String> lines(ApiStream stream) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Optional<byte[]> line = stream.line(); line.isPresent(); line = stream.line()) {
      lines.add(new String(line.get(), StandardCharsets.UTF_8));
    }
    return lines;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 1 << 20})
  void lines_are_the_same_in_pieces_of_any_size(int size) throws IOException {
    assertThat(lines(stream(new Pieces("a\n\nbcd\ne\nunfinished", size))))
        .containsExactly("a", "", "bcd", "e");
  }

  @Test
  void line_may_have_many_pieces() throws IOException {
    String line = "0123456789".repeat(50_000);

    assertThat(lines(stream(new Pieces(line + "\n" + line + "\n", Integer.MAX_VALUE))))
        .containsExactly(line, line);
  }

  @Test
  void line_that_is_too_long_is_not_gathered() {
    Pieces endless = new Pieces("x".repeat(2 * ApiStream.LONGEST), Integer.MAX_VALUE);

    assertThatThrownBy(() -> stream(endless).line()).isInstanceOf(IllegalStateException.class);
    assertThat(endless.received).isLessThan(ApiStream.LONGEST + (1 << 20));
  }

  // ---- Answers ----

  @Test
  void long_answer_of_a_write_is_cut() {
    Pieces object = new Pieces("x".repeat(1 << 23), Integer.MAX_VALUE);
    ApiCalls.Answer answer = stream(object).outcome();

    assertThat(answer.isGood()).isTrue();
    assertThat(answer.body()).hasSize(ApiStream.OUTCOME);
    assertThat(object.received).isEqualTo(ApiStream.OUTCOME);
  }

  @Test
  void long_answer_of_a_read_counts_as_none() {
    assertThat(stream(new Pieces("1234", 4)).answer(4)).isEqualTo(new ApiCalls.Answer(200, "1234"));
    assertThat(stream(new Pieces("12345", 4)).answer(4))
        .isEqualTo(new ApiCalls.Answer(0, "the answer is longer than 4 bytes", true));
  }

  /// A body that fails once it is closed.
  private static final class Hanging extends InputStream {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public int read() throws IOException {
      try {
        closed.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      throw new IOException("closed");
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      return read();
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  @Test
  @Timeout(30)
  void answer_that_takes_too_long_is_excessive() {
    ApiStream slow = new ApiStream(200, new Hanging(), Duration.ofMillis(1));

    assertThat(slow.answer(4).excessive()).isTrue();
  }

  @Test
  void answer_that_breaks_off_is_not_excessive() {
    Hanging broken = new Hanging();
    broken.close();

    assertThat(stream(broken).answer(4)).isEqualTo(new ApiCalls.Answer(0, "the answer broke off"));
  }
}
