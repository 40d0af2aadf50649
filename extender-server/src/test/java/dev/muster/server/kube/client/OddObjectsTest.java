package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.server.kube.StreamingApi;
import dev.muster.server.kube.client.ResourceKind.Change;
import dev.muster.server.kube.client.ResourceKind.Item;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Objects with values that the API server stores, or may store, and that a reader may refuse.
class OddObjectsTest {
  private static final String GOOD = "{'metadata': {'name': 'good'}}";

  @AutoClose private final StreamingApi api = new StreamingApi();
  @AutoClose private final KubernetesClient client = api.client();

  private <T extends HasMetadata> ResourceKind<T> kind(Class<T> type) {
    return ResourceKind.of("objects", client, "/objects", type);
  }

  /// Each char is one byte.
  private static byte[] bytes(String json) {
    return json.replace('\'', '"').getBytes(StandardCharsets.ISO_8859_1);
  }

  private <T extends HasMetadata> List<Item<T>> listed(String object, Class<T> type)
      throws IOException {
    api.lists(
        bytes("{'metadata': {'resourceVersion': '7'}, 'items': [%s, %s]}".formatted(object, GOOD)));
    List<Item<T>> items = new ArrayList<>();
    kind(type).page("", ResourceKind.PAGE, items::add);
    return items;
  }

  private <T extends HasMetadata> Item<T> watched(String object, Class<T> type) throws IOException {
    return kind(type).read(Change.of(bytes("{'type': 'ADDED', 'object': %s}".formatted(object))));
  }

  private static <T extends HasMetadata> String described(List<Item<T>> items) {
    return items.stream()
        .map(item ->
            (item.isReadable() ? "" : "unreadable ") + item.object().getMetadata().getName())
        .collect(Collectors.joining(", "));
  }

  /// Names of which all have the same hash code, also with a seed.
  private static String colliding() {
    return IntStream.range(0, 1 << 11)
        .mapToObj(i ->
            IntStream.range(0, 11)
                .mapToObj(bit -> (i >> bit & 1) == 0 ? "Ab" : "BA")
                .collect(Collectors.joining()))
        .map("'%s': 1"::formatted)
        .collect(Collectors.joining(", ", "{", "}"));
  }

  static Stream<String> odd() {
    return Stream.of(
        "0." + "1".repeat(1_100),
        "1".repeat(1_100),
        "-" + "1".repeat(400_000),
        "1e999999999",
        "1e-999999999",
        "1e" + "9".repeat(1_100),
        "'\u00ff'",
        "'\u00c0\u0080'",
        "'\u00ed\u00a0\u0080'",
        "'\u00e2\u0082'",
        "{'\u00ff': 1}",
        "'\\ud800'",
        "'\\u0000'",
        "[".repeat(9_000) + "]".repeat(9_000),
        "'" + "x".repeat(1_000_000) + "'",
        "{'" + "x".repeat(1_000_000) + "': 1}",
        "{'a': 1, 'a': 2}",
        colliding());
  }

  @ParameterizedTest
  @MethodSource("odd")
  void odd_value_does_not_hinder_a_list(String value) throws IOException {
    for (var type : TYPES) {
      assertThat(described(listed(with(value), type))).isEqualTo("p, good");
    }
  }

  @ParameterizedTest
  @MethodSource("odd")
  void odd_value_does_not_hinder_a_watch(String value) throws IOException {
    for (var type : TYPES) {
      assertThat(watched(with(value), type).isReadable()).isTrue();
    }
  }

  private static final List<Class<? extends HasMetadata>> TYPES =
      List.of(
          GenericKubernetesResource.class,
          Node.class,
          Pod.class,
          ResourceClaim.class,
          ResourceClaimTemplate.class);

  private static String with(String value) {
    return "{'metadata': {'name': 'p', 'x': %1$s}, 'spec': {'x': %1$s}, 'x': %1$s}"
        .formatted(value);
  }

  private static final String UNREADABLE = "{'metadata': {'name': 'p'}, %s, 'x': [{}, 1]}";

  static Stream<String> unexpected() {
    return Stream.of(
        "'spec': 5",
        "'spec': [{}]",
        "'spec': 'text'",
        "'spec': {'priority': 99999999999}",
        "'spec': {'priority': 1%s}".formatted("0".repeat(1_100)),
        "'spec': {'priority': 1e999999999}",
        "'spec': {'priority': {'a': [1]}}",
        "'spec': {'priority': 'many'}",
        "'spec': {'nodeName': {'a': [1]}, 'priority': 5}",
        "'spec': {'containers': {'a': [1]}}",
        "'spec': {'containers': [{'resources': {'requests': {'cpu': [[{}]]}}}, {}]}",
        "'status': {'conditions': [[{}], {}]}");
  }

  @ParameterizedTest
  @MethodSource("unexpected")
  void object_that_cannot_be_read_costs_only_itself(String field) throws IOException {
    String object = UNREADABLE.formatted(field);

    assertThat(described(listed(object, Pod.class))).endsWith("p, good");
    assertThat(watched(object, Pod.class).object().getMetadata().getName()).isEqualTo("p");
  }

  @Test
  void object_that_cannot_be_read_is_named() throws IOException {
    String object = UNREADABLE.formatted("'spec': {'priority': 99999999999}");

    assertThat(described(listed(object, Pod.class))).isEqualTo("unreadable p, good");
    assertThat(watched(object, Pod.class).isReadable()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "[{}]", "{'labels': 5, 'name': 'p'}", "{'name': {'a': [1]}}"})
  void object_that_is_not_identified_is_left_out_of_its_list(String metadata) throws IOException {
    String object = "{'metadata': %s, 'spec': {'x': 1}}".formatted(metadata);

    assertThat(described(listed(object, Pod.class))).isEqualTo("good");
    assertThatThrownBy(() -> watched(object, Pod.class)).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{'metadata': {'name': 'p'}, 'spec': {", "{'metadata': {'name': nonsense"})
  void answer_that_breaks_off_is_no_list(String cut) {
    api.lists(bytes("{'metadata': {'resourceVersion': '7'}, 'items': [" + cut));

    assertThatThrownBy(() -> kind(Pod.class).page("", ResourceKind.PAGE, _ -> {}))
        .isInstanceOf(IOException.class);
  }
}
