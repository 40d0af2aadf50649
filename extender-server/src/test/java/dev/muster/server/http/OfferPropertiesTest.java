package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.server.http.extender.ExtenderAnswers;
import dev.muster.server.http.extender.FilterAnswer;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// The answer is a subset of the offered nodes, in whatever order they are offered.
class OfferPropertiesTest {
  private static final String PROMISED = "gpu-2";
  private static final Set<String> GPU_NODES = Set.of("gpu-1", "gpu-2", "gpu-3");

  private final ExtenderAnswers extender = new ExtenderAnswers(ServerImages.SCOPE);

  @Provide
  Arbitrary<List<String>> offers() {
    return Arbitraries.of("gpu-1", PROMISED, "gpu-3", "cpu-1", "stranger-1", "")
        .list()
        .ofMaxSize(8);
  }

  @Property
  void only_the_promised_node_passes_and_only_when_offered(@ForAll("offers") List<String> offer) {
    ServerImages image = ServerImages.cluster().train(1).waiting("w0").promised("w0", PROMISED);
    FilterAnswer answer =
        extender.filter(image.state(), PodJson.asks(PodJson.ofTrain("w0"), offer));
    assertThat(answer.passing().orElseThrow().names())
        .isEqualTo(offer.contains(PROMISED) ? List.of(PROMISED) : List.of());
    assertThat(answer.refusal().isPresent())
        .isEqualTo(!offer.isEmpty() && !offer.contains(PROMISED));
    answer.refusal().ifPresent(refusal -> assertThat(offer).contains(refusal.node()));
  }

  @Property
  void no_node_passes_for_a_waiting_gang(@ForAll("offers") List<String> offer) {
    ServerImages image = ServerImages.cluster().train(3).waiting("w0");
    FilterAnswer answer =
        extender.filter(image.state(), PodJson.asks(PodJson.ofTrain("w0"), offer));
    assertThat(answer.passing().orElseThrow().names()).isEmpty();
    assertThat(answer.refusal().map(FilterAnswer.Refusal::node))
        .isEqualTo(offer.stream().findFirst());
  }

  @Property
  void only_the_promised_node_is_best(@ForAll("offers") List<String> offer) {
    ServerImages image = ServerImages.cluster().train(1).waiting("w0").promised("w0", PROMISED);
    assertThat(extender.prioritize(image.state(), PodJson.asks(PodJson.ofTrain("w0"), offer)))
        .isEqualTo(offer.contains(PROMISED) ? List.of(PROMISED) : List.of());
  }

  @Property
  void unmanaged_pods_prefer_non_gpu_nodes_in_their_order(@ForAll("offers") List<String> offer) {
    assertThat(
            extender.prioritize(
                ServerImages.cluster().state(), PodJson.asks(PodJson.stranger(), offer)))
        .isEqualTo(offer.stream().filter(node -> !GPU_NODES.contains(node)).toList());
  }
}
