package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Policies;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.MemberState;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Wishes;
import dev.muster.core.preemption.ByPriority;
import dev.muster.core.preemption.PreemptionPolicy.Mode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// Left in the body or decoded, names give the same answers, whatever the body looks like.
class PlainReaderPropertiesTest {
  private static final Set<String> GPUS = Images.SCOPE.accelerators();
  private static final Policies POLICIES = Policies.DEFAULT.with(new ByPriority(Mode.ENFORCE));
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Extender extender = new Extender(Images.SCOPE);
  private final Images image =
      Images.cluster()
          .train(2)
          .waiting("planned")
          .waiting("late")
          .bound("bound", "gpu-3")
          .promised("planned", "gpu-2")
          .after(new Event.MemberSeen(Images.NOW, mayLeave()));

  /// A lone pod that may be stopped for any other.
  private static Member mayLeave() {
    return new Member(
        new MemberId("ml", "low", "u1"),
        Images.lone("low"),
        0,
        -1,
        Request.of(Resources.of(Images.GPU, 1), 1),
        Wishes.NONE,
        new MemberState.Bound(new NodeId("gpu-1"), Images.NOW),
        Images.NOW);
  }

  /// Answers a body.
  private interface Answer {
    byte[] of(byte[] body) throws MalformedRequest;
  }

  /// The answer as a JSON value; as its bytes when the names in it are no Unicode; a refusal as its
  /// words.
  private static Object read(Answer answer, byte[] body) throws IOException {
    byte[] json = {};
    try {
      json = answer.of(body);
      return withoutNulls(MAPPER.readTree(json));
    } catch (JsonProcessingException noUnicode) {
      return new String(json, StandardCharsets.UTF_8);
    } catch (MalformedRequest refused) {
      return refused.problem();
    } catch (IllegalArgumentException lacking) {
      return String.valueOf(lacking.getMessage());
    }
  }

  /// Go reads a list that is null as one that is empty.
  private static JsonNode withoutNulls(JsonNode answer) throws JsonProcessingException {
    return MAPPER.readTree(answer.toString().replace("\"Pods\":null", "\"Pods\":[]"));
  }

  private byte[] filter(ExtenderArgs args) {
    return ExtenderWriter.filter(extender.filter(image.state(), args), args.casing());
  }

  private byte[] prioritize(ExtenderArgs args) {
    return ExtenderWriter.scores(extender.prioritize(image.state(), args), args.casing());
  }

  private byte[] preempt(Policies policies, PreemptionArgs args) {
    return ExtenderWriter.preemption(
        extender.preempt(image.state(), policies, args), args.casing());
  }

  private void agree(byte[] body) throws IOException {
    String shown = new String(body, StandardCharsets.UTF_8);
    assertThat(read(b -> filter(ExtenderReader.args(b, GPUS)), body))
        .as(shown)
        .isEqualTo(read(b -> filter(ExtenderReader.decodedArgs(b, GPUS)), body));
    assertThat(read(b -> prioritize(ExtenderReader.args(b, GPUS)), body))
        .as(shown)
        .isEqualTo(read(b -> prioritize(ExtenderReader.decodedArgs(b, GPUS)), body));
    for (Policies policies : List.of(POLICIES, Policies.DEFAULT)) {
      assertThat(read(b -> preempt(policies, ExtenderReader.preemption(b, GPUS)), body))
          .as(shown)
          .isEqualTo(read(b -> preempt(policies, ExtenderReader.decodedPreemption(b, GPUS)), body));
    }
  }

  @Property(tries = 3_000)
  void decodingChangesNoAnswer(@ForAll long seed) throws IOException {
    agree(new Bodies(new Random(seed)).body().getBytes(StandardCharsets.UTF_8));
  }

  @Property(tries = 3_000)
  void norDoesItForBrokenBodies(@ForAll long seed, @ForAll @IntRange(min = 1, max = 3) int wounds)
      throws IOException {
    Random random = new Random(seed);
    byte[] body = new Bodies(random).body().getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < wounds; i++) {
      body[random.nextInt(body.length)] = Bodies.wound(random);
    }
    agree(body);
  }

  @Property(tries = 300)
  void norForBodiesThatEndEarly(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    byte[] body = new Bodies(random).body().getBytes(StandardCharsets.UTF_8);
    agree(Arrays.copyOf(body, random.nextInt(body.length)));
  }
}
