package dev.muster.policy.preemption.load;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Durations;
import dev.muster.policy.file.FileKind;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.StrictReader;
import dev.muster.policy.preemption.FilePolicy;
import dev.muster.policy.preemption.PolicyFields.Action;
import dev.muster.policy.preemption.PolicySources;
import dev.muster.policy.preemption.PolicyTest;
import dev.muster.policy.preemption.PolicyTest.Expect;
import dev.muster.policy.preemption.PriorityFloor;
import dev.muster.policy.preemption.Protection;
import dev.muster.policy.preemption.VictimOrder;
import dev.muster.policy.preemption.explain.VerdictText;
import dev.muster.policy.yaml.FileProblem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Runs the tests in a policy's files and the test files beside them.
public final class PolicyChecks {
  private record TestFields(List<PolicyTest> tests) {}

  private static final StrictReader<TestFields> READER =
      new StrictReader<>(
          List.of(
              FileKind.of(
                  new FileKind.Header("policy.muster.dev/v1", "PreemptionPolicyTests"),
                  TestFields.class,
                  "preemption-policy-tests-v1.schema.json")));

  private PolicyChecks() {}

  /// The result of a test.
  ///
  /// @param name the test's name
  /// @param rule the rule or protection of the policy that decided
  /// @param disagreements differences from the expectation, one sentence each; empty if it passed
  public record Outcome(String name, String rule, List<String> disagreements) {
    public Outcome {
      disagreements = List.copyOf(disagreements);
    }

    /// True if the policy agrees with the expectation.
    public boolean passed() {
      return disagreements.isEmpty();
    }
  }

  /// The results of all tests of a policy.
  ///
  /// @param revision the revision of the policy
  /// @param outcomes the result of each test
  /// @param untested rules and protections that decided in no test, in the order of the policy
  public record Checked(String revision, List<Outcome> outcomes, List<String> untested) {
    public Checked {
      outcomes = List.copyOf(outcomes);
      untested = List.copyOf(untested);
    }
  }

  /// Runs all tests of a policy.
  ///
  /// The tests in the policy files come first, then those of the test files.
  ///
  /// @param sources the files of the policy
  /// @param beside its test files; may be none
  /// @return the results, or the problems of the files
  public static Loaded<Checked> run(
      PolicySources sources, PolicySources beside, PolicyLoader loader) {
    Loaded<PreemptionPolicy> policy = loader.load(sources);
    Loaded<TestFields> tests = fields(beside);
    if (policy instanceof Loaded.Valid<PreemptionPolicy>(PreemptionPolicy valid, String revision)
        && tests instanceof Loaded.Valid<TestFields>(TestFields more, String _)) {
      List<PolicyTest> all = new ArrayList<>(own(valid));
      all.addAll(more.tests());
      List<Outcome> outcomes = all.stream().map(test -> run(valid, test)).toList();
      return new Loaded.Valid<>(
          new Checked(revision, outcomes, untested(valid, outcomes)), revision);
    }
    List<FileProblem> problems = new ArrayList<>(problems(policy));
    problems.addAll(problems(tests));
    return new Loaded.Invalid<>(problems);
  }

  private static List<String> untested(PreemptionPolicy policy, List<Outcome> outcomes) {
    Set<String> tested = outcomes.stream().map(Outcome::rule).collect(Collectors.toSet());
    return FilePolicy.behind(policy)
        .map(file ->
            Stream.concat(
                    file.parts().rules().stream().map(rule -> rule.fields().name()),
                    file.parts().protections().stream()
                        .filter(Protection::isEntry)
                        .map(Protection::name))
                .filter(name -> !tested.contains(name))
                .toList())
        .orElseGet(List::of);
  }

  /// Reads the test files. Unreadable ones are a problem, since their tests might fail.
  private static Loaded<TestFields> fields(PolicySources beside) {
    if (!beside.problems().isEmpty()) {
      return new Loaded.Invalid<>(beside.problems());
    }
    return beside.contents().isEmpty()
        ? new Loaded.Valid<>(new TestFields(List.of()), "")
        : READER.together(beside.contents());
  }

  private static List<PolicyTest> own(PreemptionPolicy policy) {
    return FilePolicy.behind(policy).map(file -> file.fields().tests()).orElseGet(List::of);
  }

  private static List<FileProblem> problems(Loaded<?> loaded) {
    return loaded instanceof Loaded.Invalid<?>(List<FileProblem> problems) ? problems : List.of();
  }

  private static Outcome run(PreemptionPolicy policy, PolicyTest test) {
    GangProfile preemptor = test.given().preemptor().subject();
    GangProfile victim = test.given().victim().subject();
    Instant now = test.given().now();
    PolicyVerdict verdict = PriorityFloor.verdict(policy, preemptor, victim, now);
    Expect expect = test.expect();
    List<String> said = new ArrayList<>();
    if ((expect.action() == Action.ALLOW) != verdict instanceof PolicyVerdict.Allowed) {
      said.add(
          "expected %s, but %s"
              .formatted(
                  expect.action() == Action.ALLOW ? "Allow" : "Deny", VerdictText.of(verdict)));
    }
    compare("rule", expect.rule(), Optional.of(verdict.rule()), said);
    compare("delay", expect.delay(), policy.delay(preemptor), said);
    switch (verdict) {
      case PolicyVerdict.Protected(String _, String _, var until) -> {
        compare("until", expect.until(), until, said);
        compare("notice", expect.notice(), Optional.empty(), said);
        compare("grace", expect.grace(), Optional.empty(), said);
        prices(expect.price(), List.of(), List.of(), said);
      }
      case PolicyVerdict.Allowed allowed -> {
        compare("until", expect.until(), Optional.empty(), said);
        compare("notice", expect.notice(), Optional.of(allowed.notice()), said);
        compare("grace", expect.grace(), allowed.grace(), said);
        prices(expect.price(), policy.terms(), allowed.price(), said);
      }
    }
    return new Outcome(test.name(), policy.verdict(preemptor, victim, now).rule(), said);
  }

  private static void prices(
      Map<String, Long> expected, List<CostTerm> terms, List<Long> price, List<String> said) {
    List<String> names = terms.stream().map(CostTerm::name).toList();
    expected.forEach((name, amount) -> {
      int at = names.indexOf(name);
      compare(
          "price." + name,
          Optional.of(amount),
          at < 0 ? Optional.empty() : Optional.of(VictimOrder.shown(name, price.get(at))),
          said);
    });
  }

  private static <T> void compare(
      String field, Optional<T> expected, Optional<T> actual, List<String> said) {
    if (expected.isPresent() && !expected.equals(actual)) {
      said.add(
          "expected %s %s, but it is %s"
              .formatted(
                  field, text(expected.get()), actual.map(PolicyChecks::text).orElse("absent")));
    }
  }

  private static String text(Object value) {
    return value instanceof Duration duration ? Durations.print(duration) : value.toString();
  }
}
