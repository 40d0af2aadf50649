package dev.muster.server.kube.dra.cel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceExpressionCompilerTest {
  private static final DeviceTraits H100 =
      new DeviceTraits(
          "gpu.nvidia.com",
          Map.of(
              "gpu.nvidia.com",
              Map.of(
                  "productName",
                  "NVIDIA H100 80GB HBM3",
                  "index",
                  3L,
                  "healthy",
                  true,
                  "driverVersion",
                  SemanticVersion.of("570.124.6")),
              "resource.kubernetes.io",
              Map.of("pcieRoot", "pci0000:15")),
          Map.of("gpu.nvidia.com", Map.of("memory", QuantityValue.of("81559Mi"))),
          false);

  private final DeviceExpressionCompiler language = new DeviceExpressionCompiler();

  private boolean takes(String expression) {
    return language.compile(expression).orElseThrow().mayTake(H100);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "device.driver == 'gpu.nvidia.com' | true",
        "device.driver == 'gpu.amd.com' | false",
        "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA H100 80GB HBM3' | true",
        "device.attributes['gpu.nvidia.com'].productName.lowerAscii().contains('a100') | false",
        "device.attributes['gpu.nvidia.com'].productName.matches('H[12]00') | true",
        "device.attributes['gpu.nvidia.com'].index < 4 | true",
        "device.attributes['gpu.nvidia.com'].index in [0, 1] | false",
        "device.attributes['gpu.nvidia.com'].healthy | true",
        "device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0000:15' | true",
        "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0 | true",
        "device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('80Gi')) | false",
        "device.capacity['gpu.nvidia.com'].memory == quantity('81559Mi') | true",
        "quantity('1Gi') == quantity('1024Mi') | true",
        "quantity('1Gi').add(quantity('1Gi')).sub(1).isLessThan(quantity('2Gi')) | true",
        "quantity('2k').asInteger() == 2000 && quantity('2k').sign() == 1 | true",
        "isQuantity('40Gi') && !isQuantity('forty') | true",
        "device.attributes['gpu.nvidia.com'].driverVersion.isLessThan(semver('570.90.0')) | false",
        "device.attributes['gpu.nvidia.com'].driverVersion.compareTo(semver('550.0.0')) >= 0 | true",
        "device.attributes['gpu.nvidia.com'].driverVersion.major() == 570 | true",
        "semver('1.0.0-rc.2').isLessThan(semver('1.0.0')) && semver('1.0.0-rc.2').isLessThan(semver('1.0.0-rc.10')) | true",
        "cel.bind(gpu, device.attributes['gpu.nvidia.com'], gpu.index == 3 && gpu.healthy) | true",
        "'index' in device.attributes['gpu.nvidia.com'] | true",
        "has(device.attributes['gpu.nvidia.com'].uuid) | false",
        "!has(device.attributes['dra.example.com'].model) | true",
        "device.attributes['gpu.nvidia.com'].?uuid.orValue('none') == 'none' | true",
        "device.attributes.all(domain, domain != 'dra.example.com') | true",
        "size(device.attributes) == 2 && device.attributes['dra.example.com'].size() == 0 | true",
        "!has(device.attributes['dra.' + 'example.com'].model) | true",
        "device.allowMultipleAllocations | false",
      })
  void selector_has_the_documented_kubernetes_semantics(String expression, boolean taken) {
    assertThat(takes(expression)).isEqualTo(taken);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.attributes['gpu.nvidia.com'].profile == '1g.10gb'",
        "device.attributes['dra.example.com'].model == 'a'",
        "device.attributes['gpu.nvidia.com'].profile != '1g.10gb'",
        "device.capacity['gpu.nvidia.com'].multiprocessors.compareTo(quantity('1')) > 0",
      })
  void device_without_the_requested_attribute_does_not_match(String expression) {
    assertThat(takes(expression)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.attributes['gpu.nvidia.com'].index.compareTo(quantity('1')) > 0",
        "quantity('forty').isLessThan(quantity('1'))",
        "device.attributes['gpu.nvidia.com'].productName",
      })
  void expression_without_a_truth_value_is_left_to_kube_scheduler(String expression) {
    assertThat(language.compile(expression).map(each -> each.mayTake(H100)).orElse(true)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"device.driver ==", "node.name == 'a'", "device.driver.ofTheFuture()", "1 + 1"})
  void unsupported_expression_is_left_to_kube_scheduler(String expression) {
    assertThat(language.compile(expression)).isEmpty();
  }

  @Test
  void long_running_expression_is_stopped_and_left_to_kube_scheduler() {
    String ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    assertThat(
            takes(
                "%1$s.all(a, %1$s.all(b, %1$s.all(c, %1$s.all(d, a + b + c + d < 0 || true))))"
                    .formatted(ten)))
        .isTrue();
    assertThat(
            takes(
                "%1$s.all(a, %1$s.all(b, %1$s.all(c, %1$s.all(d, true)))) && false".formatted(ten)))
        .as("what decides without it, does")
        .isFalse();
  }

  /// Tenants can replace long expressions all the time, and each takes a MiB of memory.
  @Test
  void long_expressions_are_remembered_up_to_a_size() {
    String text = "device.driver != '%%d%s'".formatted("x".repeat(8 * 1024));
    int many = 2 * DeviceExpressionCompiler.REMEMBERED / text.length();
    List<Optional<DeviceExpression>> first =
        IntStream.range(0, many).mapToObj(i -> language.compile(text.formatted(i))).toList();

    long remembered =
        IntStream.range(0, many)
            .filter(i -> language.compile(text.formatted(i)).get() == first.get(i).get())
            .count();
    assertThat(remembered * text.length())
        .isBetween(1L, (long) DeviceExpressionCompiler.REMEMBERED);
  }

  /// In Kubernetes no quantity is beyond 2^63 - 1, and none has more than nine decimals.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "quantity('1e100000000').add(quantity('1')).isGreaterThan(quantity('1'))",
        "quantity('-1e100000000').sub(1).isLessThan(quantity('1'))",
        "quantity('1e-100000000').add(quantity('1')).isGreaterThan(quantity('1'))",
        "quantity('1e100000000') == quantity('9223372036854775807')",
        "quantity('1e-12') == quantity('1n')"
      })
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void quantities_of_any_size_are_added_quickly(String expression) {
    assertThat(takes(expression)).isTrue();
  }
}
