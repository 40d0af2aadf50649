package dev.muster.policy.preemption.load;

import com.fasterxml.jackson.databind.JsonNode;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.FileKind;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.StrictReader;
import dev.muster.policy.preemption.FilePolicy;
import dev.muster.policy.preemption.Plugins;
import dev.muster.policy.preemption.PolicyAdvice;
import dev.muster.policy.preemption.PolicyCompiler;
import dev.muster.policy.preemption.PolicyFields;
import dev.muster.policy.preemption.PolicyRules;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.yaml.FieldFault;
import dev.muster.policy.yaml.FileProblem;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;

/// Loads policies: a file, or all files of a folder.
public final class PolicyLoader {
  /// The `apiVersion` and `kind` of a policy file.
  public static final FileKind.Header HEADER =
      new FileKind.Header("policy.muster.dev/v1", "PreemptionPolicy");

  private static final FileKind<PolicyFields> KIND =
      FileKind.of(
          HEADER,
          PolicyFields.class,
          "preemption-policy-v1.schema.json",
          Map.of("muster-zone", PolicyLoader::checkZone));

  private static final PolicyLoader PLAIN = new PolicyLoader(Plugins.NONE, _ -> {});

  private final Plugins plugins;
  private final StrictReader<PolicyFields> reader;
  private final Consumer<ExpressionFailure> failures;

  /// Creates a loader.
  ///
  /// @param plugins the policies in Java that files may name
  /// @param failures receives every expression without a value for a pair of gangs; called often,
  ///   by the thread that asks the policy
  public PolicyLoader(Plugins plugins, Consumer<ExpressionFailure> failures) {
    this.plugins = plugins;
    this.reader = new StrictReader<>(List.of(KIND.faultedBy(this::faults)));
    this.failures = failures;
  }

  /// Reads files and returns the policy that they make together, or all their problems.
  public Loaded<PreemptionPolicy> load(PolicySources sources) {
    return switch (fields(sources)) {
      case Loaded.Valid<PolicyFields>(PolicyFields fields, String revision) ->
          policy(fields, revision, sources.contents());
      case Loaded.Invalid<PolicyFields>(List<FileProblem> problems) ->
          new Loaded.Invalid<>(problems);
    };
  }

  /// Returns warnings about valid files ([PolicyAdvice]); empty if they are not valid.
  ///
  /// @param queues the queues of the configuration, if it is known
  /// @param found expressions that had no value for a pair of gangs
  public List<FileProblem> advice(
      PolicySources sources, Optional<Set<String>> queues, Collection<ExpressionFailure> found) {
    return sources.contents().isEmpty()
        ? List.of()
        : reader.advice(sources.contents(), policy -> PolicyAdvice.of(policy, queues, found));
  }

  /// Reads a file, or the files of a folder, without plug-ins, as for simulations.
  ///
  /// Expressions without a value are not reported.
  public static Loaded<PreemptionPolicy> plain(Path place) {
    return PLAIN.load(PolicySources.of(place));
  }

  private List<FieldFault> faults(JsonNode policy) {
    List<FieldFault> faults = new ArrayList<>(PolicyRules.faults(policy));
    plugins.fault(policy).ifPresent(faults::add);
    return faults;
  }

  private Loaded<PolicyFields> fields(PolicySources sources) {
    return sources.contents().isEmpty()
        ? new Loaded.Invalid<>(sources.problems())
        : sources.problems().isEmpty()
            ? reader.together(sources.contents())
            : new Loaded.Invalid<>(sources.problems());
  }

  private Loaded<PreemptionPolicy> policy(
      PolicyFields fields, String revision, SequencedMap<String, byte[]> contents) {
    FilePolicy policy = new FilePolicy(fields, revision, PolicyCompiler.compile(fields), failures);
    return fields
        .plugin()
        .map(plugin -> plugins.plugged(policy, plugin, place(contents)))
        .orElseGet(() -> new Loaded.Valid<>(policy, revision));
  }

  /// Returns the file, or the folder of several files, because the file with the plug-in is unknown
  /// here.
  private static String place(SequencedMap<String, byte[]> contents) {
    String first = contents.firstEntry().getKey();
    Path folder = Path.of(first).getParent();
    return contents.size() == 1 || folder == null ? first : folder.toString();
  }

  private static void checkZone(String text) {
    try {
      var _ = ZoneId.of(text);
    } catch (DateTimeException _) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a time zone. Write it like UTC or Europe/Berlin.");
    }
  }
}
