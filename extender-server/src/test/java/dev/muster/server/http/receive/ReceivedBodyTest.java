package dev.muster.server.http.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ReceivedBodyTest {
  private final ReceivedBody body = new ReceivedBody();

  private int add(byte[] bytes, long announced) {
    int missing = body.missing(bytes.length, announced);
    body.append(Buffer.buffer(bytes), missing);
    return missing;
  }

  /// Memory is taken as bytes arrive, and never more than was announced.
  @Property(tries = 300)
  void parts_are_joined_and_take_little_more_memory_than_arrived(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 1, max = 100_000) Integer> sizes,
      @ForAll boolean announced,
      @ForAll long seed) {
    ReceivedBody received = new ReceivedBody();
    int whole = sizes.stream().mapToInt(Integer::intValue).sum();
    byte[] sent = new byte[whole];
    new Random(seed).nextBytes(sent);
    int start = 0;
    long taken = 0;
    for (int size : sizes) {
      Buffer piece = Buffer.buffer(size).appendBytes(sent, start, size);
      int missing = received.missing(size, announced ? whole : Long.MAX_VALUE);
      received.append(piece, missing);
      start += size;
      taken += missing;
      assertThat(taken).isBetween((long) start, announced ? whole : Math.max(8_192L, 2L * start));
    }
    assertThat(received.length()).isEqualTo(whole);
    assertThat(received.take()).isEqualTo(sent);
  }

  @Test
  void part_is_as_long_as_a_small_body() {
    int part = add(new byte[1_000], 5_000);
    add(new byte[4_000], 5_000);

    assertThat(part).isEqualTo(5_000);
    assertThat(body.take()).hasSize(5_000);
  }

  /// A larger array would be allocated among the old objects.
  @Test
  void no_part_exceeds_a_quarter_of_a_mebibyte() {
    List<Integer> parts = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      parts.add(add(new byte[16_384], 16_384_000));
    }
    assertThat(parts).contains(1 << 18).allMatch(part -> part <= 1 << 18);
  }

  @Test
  void body_without_bytes_is_empty() {
    assertThat(body.take()).isEmpty();
  }
}
