package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.MalformedRequest;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A body takes memory in proportion to its length, and honest bodies of large clusters pass.
class ExtenderBoundsTest {
  private static final int MOST_KEYS = 100_000;
  private static final int MOST_ELEMENTS = 250_000;

  private static String many(int count, IntFunction<String> part) {
    return IntStream.range(0, count).mapToObj(part).collect(Collectors.joining(","));
  }

  private static ExtenderArgs args(String json) throws MalformedRequest {
    return ExtenderReader.args(
        json.getBytes(StandardCharsets.UTF_8), ServerImages.SCOPE.accelerators());
  }

  private static String labels(int count) {
    return "{\"Pod\":{\"metadata\":{\"labels\":{%s}}}}"
        .formatted(many(count, i -> "\"k%07d\":\"\"".formatted(i)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"Pod\":{\"metadata\":{\"labels\":{%s}}}} | /Pod/metadata/labels/k",
        "{\"Pod\":{\"metadata\":{\"annotations\":{%s}}}} | /Pod/metadata/annotations/k",
        "{\"Pod\":{\"metadata\":{\"skipped\":{%s}}}} | /Pod/metadata/skipped/k",
        "{\"Nodes\":{\"items\":[{\"spec\":{%s}}]}} | /Nodes/items/0/spec/k",
        "{\"skipped\":[[{%s}]]} | /skipped/0/0/k"
      })
  void too_many_different_keys_are_refused_with_their_place(String body, String place) {
    String keys = many(MOST_KEYS + 1, i -> "\"k%d\":\"\"".formatted(i));

    assertThatThrownBy(() -> args(body.formatted(keys)))
        .hasMessageStartingWith("The body has more than 100000 different keys at " + place)
        .hasMessageContaining(", line 1, column ");
  }

  @Test
  void different_keys_of_many_objects_are_counted_together() {
    String objects =
        many(MOST_KEYS / 50, i -> "{%s}".formatted(many(51, k -> "\"k%d-%d\":0".formatted(i, k))));

    assertThatThrownBy(() -> args("{\"skipped\":[%s]}".formatted(objects)))
        .hasMessageContaining("different keys");
  }

  @Test
  void equal_keys_of_many_nodes_are_counted_once() throws MalformedRequest {
    String labels = many(50, k -> "\"feature-%d\":\"true\"".formatted(k));
    String nodes =
        many(
            5_000,
            i ->
                "{\"metadata\":{\"name\":\"n%d\",\"labels\":{%s},\"own-%d\":{}}}"
                    .formatted(i, labels, i));

    ExtenderArgs args = args("{\"Nodes\":{\"items\":[%s]}}".formatted(nodes));

    assertThat(args.offer().orElseThrow().names()).hasSize(5_000);
  }

  @Test
  void too_many_elements_are_refused_with_their_place() {
    String names = many(MOST_ELEMENTS + 1, i -> "\"%d\"".formatted(i));

    assertThatThrownBy(() -> args("{\"NodeNames\":[%s]}".formatted(names)))
        .hasMessageStartingWith(
            "The body has more than 250000 elements of arrays at /NodeNames/250000, line 1");
  }

  @Test
  void key_that_is_given_twice_is_refused_with_its_place() {
    assertThatThrownBy(() -> args("{\"Pod\":{\"metadata\":{\"labels\":{\"a\":\"\",\"a\":\"\"}}}}"))
        .hasMessage("The key /Pod/metadata/labels/a is given twice.");
  }

  @Test
  void hostile_keys_take_no_multiple_of_their_length() {
    byte[] body = labels(1_000_000).getBytes(StandardCharsets.UTF_8);
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();

    assertThatThrownBy(() -> ExtenderReader.args(body, ServerImages.SCOPE.accelerators()))
        .isInstanceOf(MalformedRequest.class);
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(4L * body.length);
  }
}
