package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.ExtenderWriter;
import dev.muster.server.http.extender.FilterAnswer;
import dev.muster.server.http.extender.JsonCursor;
import dev.muster.server.http.extender.KeyCasing;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.OfferedNodes;
import dev.muster.server.http.extender.PreemptionArgs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// The reader finds the names and candidates of every body that a JSON tree reader finds. Otherwise
/// it refuses the body in one line.
class ExtenderReaderPropertiesTest {
  private static final ObjectMapper MAPPER =
      new ObjectMapper(JsonCursor.FACTORY).enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /// The only value of an object whose key is this one in any case, unless it is null.
  private static Optional<JsonNode> value(JsonNode object, String key) {
    return object
        .propertyStream()
        .filter(field -> field.getKey().equalsIgnoreCase(key) && !field.getValue().isNull())
        .map(Map.Entry::getValue)
        .findFirst();
  }

  private static Optional<List<String>> names(JsonNode call) {
    Optional<List<String>> names =
        value(call, "NodeNames").map(list -> list.valueStream().map(JsonNode::asText).toList());
    return names.or(() -> value(call, "Nodes").map(ExtenderReaderPropertiesTest::objects));
  }

  private static List<String> objects(JsonNode nodes) {
    return value(nodes, "items").stream()
        .flatMap(JsonNode::valueStream)
        .map(node -> node.path("metadata").path("name").asText())
        .toList();
  }

  private static List<PreemptionArgs.Candidate> candidates(JsonNode call) {
    return value(call, "NodeNameToMetaVictims").or(() -> value(call, "NodeNameToVictims")).stream()
        .flatMap(JsonNode::propertyStream)
        .map(node -> candidate(node.getKey(), node.getValue()))
        .toList();
  }

  private static PreemptionArgs.Candidate candidate(String node, JsonNode victims) {
    List<String> uids =
        value(victims, "Pods").stream()
            .flatMap(JsonNode::valueStream)
            .map(ExtenderReaderPropertiesTest::uid)
            .toList();
    long violations = value(victims, "NumPDBViolations").map(JsonNode::asLong).orElse(0L);
    return new PreemptionArgs.Candidate(node, uids, violations);
  }

  private static String uid(JsonNode victim) {
    return value(victim, "UID")
        .map(JsonNode::asText)
        .orElseGet(() -> victim.path("metadata").path("uid").asText());
  }

  private static Optional<String> answer(Optional<OfferedNodes> offer) {
    return offer.map(nodes ->
        new String(
            ExtenderWriter.filter(FilterAnswer.passing(nodes), KeyCasing.GO),
            StandardCharsets.UTF_8));
  }

  /// The offer without the bytes of names, which the answer then spells again.
  private static Optional<OfferedNodes> names(ExtenderArgs args) {
    return args.offer()
        .map(offer ->
            offer instanceof OfferedNodes.Names(var names, _)
                ? new OfferedNodes.Names(names)
                : offer);
  }

  private static void agrees(byte[] body) throws IOException {
    String shown = new String(body, StandardCharsets.UTF_8);
    try {
      ExtenderArgs args = ExtenderReader.args(body, ServerImages.SCOPE.accelerators());
      PreemptionArgs preemption =
          ExtenderReader.preemption(body, ServerImages.SCOPE.accelerators());
      JsonNode tree = MAPPER.readTree(body);
      assertThat(args.offer().map(OfferedNodes::names)).as(shown).isEqualTo(names(tree));
      assertThat(answer(args.offer())).as(shown).isEqualTo(answer(names(args)));
      assertThat(preemption.candidates()).as(shown).isEqualTo(candidates(tree));
    } catch (MalformedRequest refused) {
      assertThat(refused.problem()).as(shown).hasSizeLessThan(600).doesNotContain("\n");
    }
  }

  @Property(tries = 3_000)
  void reader_agrees_with_a_tree_reader(@ForAll long seed) throws IOException {
    agrees(new CallBodies(new Random(seed)).body().getBytes(StandardCharsets.UTF_8));
  }

  @Property(tries = 3_000)
  void reader_agrees_with_a_tree_reader_on_broken_bodies_or_refuses(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int wounds) throws IOException {
    Random random = new Random(seed);
    byte[] body = new CallBodies(random).body().getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < wounds; i++) {
      body[random.nextInt(body.length)] = CallBodies.wound(random);
    }
    agrees(body);
  }

  @Property(tries = 300)
  void truncated_body_is_refused(@ForAll long seed) {
    Random random = new Random(seed);
    byte[] body = new CallBodies(random).body().strip().getBytes(StandardCharsets.UTF_8);
    byte[] cut = Arrays.copyOf(body, random.nextInt(body.length - 1));
    assertThatThrownBy(() -> ExtenderReader.args(cut, ServerImages.SCOPE.accelerators()))
        .isInstanceOf(MalformedRequest.class);
  }
}
