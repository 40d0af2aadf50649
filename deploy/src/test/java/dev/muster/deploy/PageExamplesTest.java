package dev.muster.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.config.ConfigurationLoader;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.simulator.fleet.Fleets;
import dev.muster.simulator.run.record.QueueBudgets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Muster accepts the YAML examples of its pages.
class PageExamplesTest {
  private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");
  private static final String CONFIGURATION =
      "apiVersion: config.muster.dev/v1\nkind: MusterConfiguration\n";
  private static final String POLICY = "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\n";

  @TempDir private Path folder = Path.of("");

  /// An example, named by its page and its number on that page.
  record Example(String name, String text) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Path docs() {
    return ShippedFiles.folder().resolveSibling("docs");
  }

  private static List<Example> of(String page) throws IOException {
    List<Example> examples = new ArrayList<>();
    for (Matcher each = YAML.matcher(Files.readString(docs().resolve(page))); each.find(); ) {
      examples.add(new Example(page + "-" + (examples.size() + 1), each.group(1)));
    }
    assertThat(examples).as(page).isNotEmpty();
    return examples;
  }

  static Stream<Example> configurations() throws IOException {
    return Stream.of(of("queues.md"), of("backfill.md"), of("annotations.md"), of("tracing.md"))
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("configurations")
  void server_accepts_the_configuration(Example example) {
    String whole = CONFIGURATION + example.text();
    ConfigurationLoader.load(example.name(), whole.getBytes(UTF_8))
        .orThrow(IllegalStateException::new);
  }

  static Stream<Example> policies() throws IOException {
    return Stream.concat(of("policy.md").stream(), of("preemption.md").stream())
        .filter(example -> !example.text().contains("plugin:")); // PolicyPluginTest has it
  }

  @ParameterizedTest
  @MethodSource("policies")
  void policy_reader_accepts_the_policy(Example example) throws IOException {
    boolean tests = example.text().contains("kind: PreemptionPolicyTests");
    String text = example.text();
    Files.writeString(
        folder.resolve("policy.yaml"),
        tests ? POLICY : text.contains("kind:") ? text : POLICY + text);
    if (tests) {
      Files.writeString(folder.resolve("some.test.yaml"), text);
    }
    PolicyLoader.plain(folder).orThrow(IllegalStateException::new);
  }

  static Stream<Example> simulations() throws IOException {
    return Stream.of(of("simulator.md"), of("simulator-semantics.md"), of("simulator-files.md"))
        .flatMap(List::stream)
        .filter(example -> !example.text().contains("kind: Experiment")); // SweepAxesTest has one
  }

  @ParameterizedTest
  @MethodSource("simulations")
  void simulator_accepts_the_example(Example example) throws IOException {
    Path file = Files.writeString(folder.resolve("example.yaml"), example.text());
    if (example.text().contains("kind: Budgets")) {
      QueueBudgets.read(file).orThrow(IllegalStateException::new);
    } else {
      assertThat(Fleets.of(file.toString()).nodes()).isNotEmpty();
    }
  }
}
