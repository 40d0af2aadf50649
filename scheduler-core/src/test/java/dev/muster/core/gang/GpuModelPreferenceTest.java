package dev.muster.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuModelPreferenceTest {
  @ParameterizedTest(name = "{0} means {1}: {2}")
  @CsvSource({
    "H100, NVIDIA-H100-80GB-HBM3, true",
    "h100, NVIDIA-H100-80GB-HBM3, true",
    "H100-80GB, NVIDIA-H100-80GB-HBM3, true",
    "H100-80GB, NVIDIA-H100-NVL, false",
    "NVIDIA H100, NVIDIA-H100-PCIe, true",
    "Tesla-V100-SXM2-32GB, Tesla-V100-SXM2-32GB, true",
    "V100, Tesla-V100-SXM2-32GB, true",
    "V100-32GB, Tesla-V100-SXM2-32GB, false",
    "P4, Tesla-P4, true",
    "P4, Tesla-P40, false",
    "L40, NVIDIA-L40S, false",
    "H100, '', false",
    "P4, P40-P4, true",
    "v100, NVIDIA V100, true",
    "H100-, NVIDIA-H100-80GB-HBM3, false",
  })
  void name_matches_the_models_with_its_consecutive_words(
      String asked, String model, boolean accepted) {
    assertThat(new GpuModelPreference(List.of(asked), false).accepts(model)).isEqualTo(accepted);
  }

  @Test
  void order_of_the_names_is_the_order_of_preference() {
    var choice = new GpuModelPreference(List.of("H100", "A100"), false);

    assertThat(choice.rank("NVIDIA-H100-80GB-HBM3")).isZero();
    assertThat(choice.rank("NVIDIA-A100-SXM4-80GB")).isEqualTo(1);
  }

  @Test
  void without_names_every_model_matches_even_an_unlabelled_one() {
    assertThat(GpuModelPreference.ANY.accepts("")).isTrue();
    assertThat(GpuModelPreference.ANY.rank("Tesla-P4")).isZero();
  }
}
