package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.gang.GangId;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderPod;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.ExtenderWriter;
import dev.muster.server.http.extender.FilterAnswer;
import dev.muster.server.http.extender.KeyCasing;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.OfferedNodes;
import dev.muster.server.http.extender.PreemptionArgs.Candidate;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Extender calls and answers have the documented bytes.
class ExtenderCodecTest {
  private static final Set<String> GPUS = Set.of("nvidia.com/gpu");

  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }

  private static ExtenderArgs args(String json) throws MalformedRequest {
    return ExtenderReader.args(bytes(json), GPUS);
  }

  private static ExtenderPod pod(String pod) throws MalformedRequest {
    return args("{\"Pod\":%s,\"Nodes\":null,\"NodeNames\":[]}".formatted(pod)).pod().orElseThrow();
  }

  private static String text(byte[] json) {
    return new String(json, StandardCharsets.UTF_8);
  }

  @Nested
  class Reads {
    @Test
    void field_names_in_any_case() throws MalformedRequest {
      assertThat(args("{\"Pod\":null,\"Nodes\":null,\"NodeNames\":[\"a\",\"b\"]}"))
          .isEqualTo(
              new ExtenderArgs(
                  Optional.empty(), Optional.of(names("[\"a\",\"b\"]", "a", "b")), KeyCasing.GO));
      assertThat(args("{\"pod\":null,\"nodenames\":[\"a\"]}"))
          .isEqualTo(
              new ExtenderArgs(
                  Optional.empty(), Optional.of(names("[\"a\"]", "a")), KeyCasing.LEGACY));
      assertThat(args("{\"nodeNames\":[\"a\"]}").offer()).contains(names("[\"a\"]", "a"));
    }

    private static OfferedNodes names(String json, String... names) {
      return new OfferedNodes.Names(List.of(names), Optional.of(ByteBuffer.wrap(bytes(json))));
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        quoteCharacter = '`',
        value = {
          "[\"a\",\"b\"]       | [\"a\",\"b\"]",
          "[\"a\", \"b\"]      | [\"a\",\"b\"]",
          "[ \"\\u0061\" ]     | [\"a\"]",
          "[\"\\/\",\"\\n\"]   | [\"/\",\"\\n\"]",
          "[\"é\",\"\\ud83d\\ude00\"] | [\"é\",\"😀\"]",
          "[\"\"]            | [\"\"]",
          "[]              | []"
        })
    void names_that_the_answer_spells_in_one_way(String sent, String answered)
        throws MalformedRequest {
      OfferedNodes offer = args("{\"NodeNames\":" + sent + "}").offer().orElseThrow();
      assertThat(text(ExtenderWriter.filter(FilterAnswer.passing(offer), KeyCasing.GO)))
          .contains("\"NodeNames\":" + answered + ",\"FailedNodes\"");
    }

    @Test
    void node_objects_byte_for_byte() throws MalformedRequest {
      String node =
          "{ \"metadata\" : {\"labels\":{\"é\":\"\\u00e9\"},\"name\":\"a\"},\"spec\":{} }";
      ExtenderArgs args =
          args(
              "{\"Pod\":null,\"Nodes\":{\"metadata\":{},\"items\":[%s , {\"metadata\":{\"name\":\"b\"}}]},\"NodeNames\":null}"
                  .formatted(node));
      OfferedNodes.Objects offer = (OfferedNodes.Objects) args.offer().orElseThrow();
      assertThat(offer.names()).containsExactly("a", "b");
      assertThat(
              StandardCharsets.UTF_8.decode(offer.nodes().getFirst().json().duplicate()).toString())
          .isEqualTo(node);
      assertThat(text(ExtenderWriter.filter(FilterAnswer.passing(offer.only("a")), KeyCasing.GO)))
          .isEqualTo(
              "{\"Nodes\":{\"metadata\":{},\"items\":[%s]},\"NodeNames\":null,\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}"
                  .formatted(node));
    }

    @Test
    void nulls_as_absent() throws MalformedRequest {
      assertThat(args("{\"Pod\":null,\"Nodes\":null,\"NodeNames\":null}"))
          .isEqualTo(new ExtenderArgs(Optional.empty(), Optional.empty(), KeyCasing.GO));
      assertThat(args("{\"Pod\":{},\"Nodes\":{\"items\":null},\"NodeNames\":null}").offer())
          .contains(new OfferedNodes.Objects(List.of()));
    }

    @Test
    void the_pod() throws MalformedRequest {
      assertThat(
              pod(
                  """
                  {"metadata":{"name":"w0","namespace":"ml","uid":"u1","creationTimestamp":"2026-11-01T12:00:00Z",
                   "labels":{"app":"x","scheduling.x-k8s.io/pod-group":"train"},
                   "annotations":{"scheduling.k8s.io/group-name":"vtrain"}},
                   "spec":{"schedulerName":"s","priority":7,"schedulingGroup":{"podGroupName":"ntrain"},
                   "initContainers":[{"name":"i"}],
                   "containers":[{"name":"c","resources":{"limits":{"cpu":"1","nvidia.com/gpu":"8"}}}]}}
                  """))
          .isEqualTo(
              new ExtenderPod(
                  "ml",
                  "w0",
                  "u1",
                  "s",
                  List.of(
                      new GangId("ml", GangId.Origin.POD_GROUP, "train"),
                      new GangId("ml", GangId.Origin.NATIVE, "ntrain"),
                      new GangId("ml", GangId.Origin.VOLCANO, "vtrain")),
                  true,
                  new ExtenderPod.Standing(
                      7,
                      new TreeMap<>(Map.of("app", "x", "scheduling.x-k8s.io/pod-group", "train")),
                      "2026-11-01T12:00:00Z")));
    }

    @Test
    void older_annotation_of_a_volcano_group() throws MalformedRequest {
      assertThat(
              pod("""
              {"metadata":{"name":"w0","namespace":"ml","uid":"u1",
               "annotations":{"scheduling.volcano.sh/group-name":" old "}}}
              """)
                  .gangs())
          .containsExactly(new GangId("ml", GangId.Origin.VOLCANO, "old"));
    }

    @ParameterizedTest
    @CsvSource({
      "'\"8\"',true",
      "8,true",
      "'\"0\"',false",
      "0,false",
      "'\"0e5\"',false",
      "null,false",
      "'\"-1\"',false",
      "'\"500m\"',true"
    })
    void amounts_of_gpus(String amount, boolean wants) throws MalformedRequest {
      String requests = "{\"nvidia.com/gpu\":" + amount + "}";
      assertThat(
              pod("{\"spec\":{\"containers\":[{\"resources\":{\"requests\":" + requests + "}}]}}")
                  .wantsAccelerator())
          .isEqualTo(wants);
    }

    @Test
    void gpus_of_init_containers() throws MalformedRequest {
      assertThat(
              pod("{\"spec\":{\"initContainers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":1}}}]}}")
                  .wantsAccelerator())
          .isTrue();
    }

    @Test
    void victims_as_uids_or_whole_pods() throws MalformedRequest {
      byte[] meta =
          bytes(
              "{\"Pod\":null,\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"u1\"}],\"NumPDBViolations\":2},\"n2\":{\"Pods\":[],\"NumPDBViolations\":0},\"n3\":{\"Pods\":null,\"NumPDBViolations\":0}}}");
      assertThat(ExtenderReader.preemption(meta, GPUS).candidates())
          .containsExactly(
              new Candidate("n1", List.of("u1"), 2),
              new Candidate("n2", List.of(), 0),
              new Candidate("n3", List.of(), 0));
      byte[] whole =
          bytes(
              "{\"pod\":{},\"nodeNameToVictims\":{\"n1\":{\"pods\":[{\"metadata\":{\"name\":\"p\",\"uid\":\"u1\"},\"spec\":{}}],\"numPDBViolations\":1}}}");
      assertThat(ExtenderReader.preemption(whole, GPUS).candidates())
          .containsExactly(new Candidate("n1", List.of("u1"), 1));
    }

    @Test
    void whole_victims_as_kube_scheduler_named_them_up_to116() throws MalformedRequest {
      byte[] whole =
          bytes(
              "{\"pod\":{},\"nodeToVictims\":{\"n1\":{\"pods\":[{\"metadata\":{\"name\":\"p\",\"uid\":\"u1\"}}],\"numPDBViolations\":1}}}");
      assertThat(ExtenderReader.preemption(whole, GPUS).candidates())
          .containsExactly(new Candidate("n1", List.of("u1"), 1));
    }
  }

  @Nested
  class Refuses {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "",
          " ",
          "null",
          "[]",
          "{",
          "{\"Pod\":{\"metadata\":{\"name\":\"a\"",
          "{\"NodeNames\":[\"a\",]}",
          "{\"NodeNames\":[\"a\"]} x",
          "{\"NodeNames\":[\"a\"]}{}",
          "{\"NodeNames\":\"a\"}",
          "{\"NodeNames\":[1]}",
          "{\"NodeNames\":[null]}",
          "{\"NodeNames\":[\"a\"],\"NodeNames\":[\"b\"]}",
          "{\"NodeNames\":[\"a\"],\"nodenames\":[\"b\"]}",
          "{\"Pod\":5}",
          "{\"Pod\":{\"metadata\":[]}}",
          "{\"Pod\":{\"metadata\":{\"name\":7}}}",
          "{\"Pod\":{\"spec\":{\"containers\":{}}}}",
          "{\"Pod\":{\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":[]}}}]}}}",
          "{\"Nodes\":{\"items\":[{}]}}",
          "{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"\"}}]}}",
          "{\"Nodes\":[]}",
          "{\"Pod\":\u0000}"
        })
    void text_that_is_not_a_call(String body) {
      assertThatThrownBy(() -> args(body))
          .isInstanceOf(MalformedRequest.class)
          .hasMessageNotContaining("\n");
    }

    @Test
    void with_the_place_of_the_mistake() {
      assertThatThrownBy(() -> args("{\"Pod\":{\"metadata\":{\"name\":7}}}"))
          .hasMessage("The value at /Pod/metadata/name must be a string.");
    }

    @Test
    void victims_without_uids() {
      assertThatThrownBy(() ->
              ExtenderReader.preemption(
                  bytes("{\"NodeNameToMetaVictims\":{\"n\":{\"Pods\":[{}]}}}"), GPUS))
          .hasMessageContaining("a victim with a uid");
    }

    @Test
    void endless_nesting() {
      assertThatThrownBy(() -> args("{\"x\":" + "[".repeat(10_000)))
          .isInstanceOf(MalformedRequest.class)
          .hasMessage("The body is nested deeper than 200 at line 1, column 206.");
    }

    @Test
    void endless_number() {
      assertThatThrownBy(() -> args("{\"x\":" + "1".repeat(101)))
          .hasMessageStartingWith(
              "The body has a key, number or text that is too long at line 1, column ");
    }
  }

  @Nested
  class Writes {
    private final OfferedNodes names = new OfferedNodes.Names(List.of("a", "b"));

    @Test
    void passing_names() {
      assertThat(text(ExtenderWriter.filter(FilterAnswer.passing(names), KeyCasing.GO)))
          .isEqualTo(
              "{\"Nodes\":null,\"NodeNames\":[\"a\",\"b\"],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");
    }

    @Test
    void a_refusal() {
      FilterAnswer refusal = FilterAnswer.refusing(names, "muster: gang ml/t waits: Fragmented");
      assertThat(text(ExtenderWriter.filter(refusal, KeyCasing.GO)))
          .isEqualTo(
              "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{\"a\":\"muster:"
                  + " gang ml/t waits: Fragmented\"},\"Error\":\"\"}");
      assertThat(text(ExtenderWriter.filter(refusal, KeyCasing.LEGACY)))
          .isEqualTo(
              "{\"nodes\":null,\"nodenames\":[],\"failedNodes\":{\"a\":\"muster: gang ml/t waits:"
                  + " Fragmented\"},\"error\":\"\"}");
    }

    @Test
    void an_error() {
      assertThat(text(ExtenderWriter.filter(FilterAnswer.error("no \"Pod\""), KeyCasing.GO)))
          .isEqualTo(
              "{\"Nodes\":null,\"NodeNames\":null,\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},\"Error\":\"no"
                  + " \\\"Pod\\\"\"}");
    }

    @Test
    void no_node_objects() {
      OfferedNodes objects =
          new OfferedNodes.Objects(
              List.of(new OfferedNodes.NodeObject("a", ByteBuffer.wrap(bytes("{}")))));
      assertThat(text(ExtenderWriter.filter(FilterAnswer.refusing(objects, "r"), KeyCasing.GO)))
          .isEqualTo(
              "{\"Nodes\":{\"metadata\":{},\"items\":[]},\"NodeNames\":null,\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{\"a\":\"r\"},\"Error\":\"\"}");
    }

    @Test
    void scores() {
      assertThat(text(ExtenderWriter.scores(List.of("a"), KeyCasing.GO)))
          .isEqualTo("[{\"Host\":\"a\",\"Score\":10}]");
      assertThat(text(ExtenderWriter.scores(List.of("a"), KeyCasing.LEGACY)))
          .isEqualTo("[{\"host\":\"a\",\"score\":10}]");
      assertThat(text(ExtenderWriter.scores(List.of(), KeyCasing.GO))).isEqualTo("[]");
    }

    @Test
    void victims() {
      List<Candidate> kept =
          List.of(new Candidate("n1", List.of("u1", "u2"), 3), new Candidate("n2", List.of(), 0));
      assertThat(text(ExtenderWriter.preemption(kept, KeyCasing.GO)))
          .isEqualTo(
              "{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"u1\"},{\"UID\":\"u2\"}],\"NumPDBViolations\":3},\"n2\":{\"Pods\":[],\"NumPDBViolations\":0}}}");
      assertThat(text(ExtenderWriter.preemption(List.of(), KeyCasing.LEGACY)))
          .isEqualTo("{\"nodeNameToMetaVictims\":{}}");
    }
  }
}
