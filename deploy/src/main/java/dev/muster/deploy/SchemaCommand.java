package dev.muster.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `muster schema`: prints the JSON Schema of a kind of file, for editors.
@Command(
    name = "schema",
    description = "Prints the JSON Schema (2020-12) of a kind of file.",
    mixinStandardHelpOptions = true)
final class SchemaCommand implements Callable<Integer> {
  private static final Map<String, String> RESOURCES = resources();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "NAME",
      completionCandidates = Names.class,
      description = "The kind of file: ${COMPLETION-CANDIDATES}.")
  private String name = "";

  /// The names of the schemas, in the order of the help.
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return RESOURCES.keySet().iterator();
    }
  }

  private static Map<String, String> resources() {
    Map<String, String> resources = new LinkedHashMap<>();
    resources.put("configuration", "policy/config/muster-configuration-v1");
    resources.put("preemption-policy", "policy/preemption/preemption-policy-v1");
    resources.put("preemption-policy-tests", "policy/preemption/load/preemption-policy-tests-v1");
    resources.put("preemption-subjects", "policy/preemption/explain/preemption-subjects-v1");
    resources.put("fleet", "simulator/fleet/fleet-v1");
    resources.put("budgets", "simulator/run/record/budgets-v1");
    resources.put("experiment", "simulator/cli/option/experiment-v1");
    return Collections.unmodifiableMap(resources);
  }

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text());
    out.flush();
    return 0;
  }

  private String text() throws IOException {
    String resource = RESOURCES.get(name);
    if (resource == null) {
      throw new ParameterException(
          spec.commandLine(),
          "There is no schema \"%s\". Known: %s."
              .formatted(name, String.join(", ", RESOURCES.keySet())));
    }
    try (InputStream in =
        SchemaCommand.class.getResourceAsStream("/dev/muster/%s.schema.json".formatted(resource))) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the jars of Muster.");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
