package dev.muster.policy.preemption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangId;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PolicyVerdict.Allowed;
import dev.muster.core.victims.PolicyVerdict.Protected;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/// Every policy gives safe verdicts for all gangs, however unusual.
class FilePolicyPropertyTest {
  private static final List<String> PARTS =
      List.of(
          "rules: [{name: all, action: Allow}]",
          "rules: [{name: above, when: 'preemptor.priority > victim.priority', action: Allow}]",
          "rules: [{name: fragile, when: \"victim.labels['x'] == 'y' || victim.gpus / victim.nodes > 2\", action: Allow}]",
          "rules: [{name: late, when: 'now - victim.preempted[0] > victim.ran', action: Deny}]",
          "protect: [{name: young, minRunTime: 106751d}]",
          "protect: [{name: ending, remaining: 1h}, {name: far, progress: 50}]",
          "protect: [{name: night, window: {from: '22:00', to: '06:00', zone: Europe/Berlin}}]",
          "protect: [{name: odd, when: 'victim.lostWork % victim.gpus == 1'}]");
  private static final List<String> PRICES =
      List.of(
          "victimOrder: [lowestPriority, fewestGangs, fewestGpus, fewestNodes, smallest, leastLostWork, youngest, fewestPreemptions, borrowersFirst]",
          "victimOrder: [cost]\ncost: [{by: leastLostWork, weight: 1000000}, {by: lowestPriority, weight: 262144}]",
          "victimOrder: [cost]\ncost: [{expression: 'victim.lostWork * victim.gpus - victim.priority'}]");

  private static final PreemptionPolicy SPLIT =
      PolicyYaml.policy(PARTS.get(1), PARTS.get(5), PRICES.get(0), PARTS.get(0));
  private static final PreemptionPolicy WHOLE =
      PolicyYaml.policy(
          "rules:\n  - {name: above, when: 'preemptor.priority > victim.priority', action: Allow}\n  - {name: all, action: Allow}\n"
              + PARTS.get(5)
              + "\n"
              + PRICES.get(0));

  /// Policies that were compiled already: that is what takes long.
  private static final Map<String, Known> KNOWN = new HashMap<>();

  private record Known(PreemptionPolicy policy, List<ExpressionFailure> failures) {
    static Known of(String text) {
      List<ExpressionFailure> failures = new ArrayList<>();
      return new Known(PolicyYaml.policy(failures, text), failures);
    }
  }

  @Provide
  Arbitrary<String> policies() {
    return Combinators.combine(
            Arbitraries.of(PARTS.subList(0, 4)),
            Arbitraries.of(PARTS.subList(4, 8)),
            Arbitraries.of(PRICES))
        .as((rules, protect, price) -> String.join("\n", rules, protect, price));
  }

  @Provide
  Arbitrary<Instant> times() {
    return Arbitraries.longs().between(0, 4_000_000_000L).map(Instant::ofEpochSecond);
  }

  @Provide
  Arbitrary<GangProfile> gangs() {
    Arbitrary<Integer> counts = Arbitraries.integers().between(0, Integer.MAX_VALUE);
    Arbitrary<Duration> times =
        Arbitraries.longs().between(0, Integer.MAX_VALUE).map(Duration::ofSeconds);
    return Combinators.combine(
            Arbitraries.integers(),
            counts,
            counts,
            times,
            times.optional(),
            Arbitraries.longs().greaterOrEqual(0),
            times().list().ofMaxSize(3),
            Arbitraries.of(true, false))
        .as((priority, gpus, nodes, ran, remaining, lost, preempted, flag) ->
            new GangProfile(
                new GangId("a", GangId.Origin.POD_GROUP, "b"),
                "q",
                priority,
                new TreeMap<>(),
                1,
                1,
                gpus,
                nodes,
                new TreeSet<>(),
                Duration.ZERO,
                ran,
                remaining,
                ran,
                lost,
                preempted,
                flag,
                flag));
  }

  @Property(tries = 300)
  void verdicts_never_throw_and_costs_fit_the_terms(
      @ForAll("policies") String text,
      @ForAll("gangs") GangProfile preemptor,
      @ForAll("gangs") GangProfile victim,
      @ForAll("times") Instant now) {
    Known known = KNOWN.computeIfAbsent(text, Known::of);
    known.failures().clear();
    PreemptionPolicy policy = known.policy();

    switch (policy.verdict(preemptor, victim, now)) {
      case Allowed allowed -> {
        assertThat(allowed.price()).hasSameSizeAs(policy.terms());
        assertThat(allowed.price()).allMatch(amount -> amount >= 0 && amount <= VictimCosts.MOST);
        assertThat(known.failures()).isEmpty();
      }
      case Protected(String _, String because, Optional<Instant> until) -> {
        assertThat(because).endsWith(".");
        assertThat(until.isEmpty() || until.get().isAfter(now) || until.get().equals(now)).isTrue();
      }
    }
  }

  @Property(tries = 100)
  void equal_inputs_have_equal_verdicts(
      @ForAll("policies") String text,
      @ForAll("gangs") GangProfile preemptor,
      @ForAll("gangs") GangProfile victim,
      @ForAll("times") Instant now) {
    PreemptionPolicy policy = KNOWN.computeIfAbsent(text, Known::of).policy();
    PolicyVerdict first = policy.verdict(preemptor, victim, now);

    assertThat(policy.verdict(preemptor, victim, now)).isEqualTo(first);
  }

  @Property(tries = 60)
  void policy_split_into_files_is_equal(
      @ForAll("gangs") GangProfile preemptor, @ForAll("gangs") GangProfile victim) {
    assertThat(SPLIT.verdict(preemptor, victim, PolicyYaml.NOON))
        .isEqualTo(WHOLE.verdict(preemptor, victim, PolicyYaml.NOON));
  }

  @Property(tries = 200)
  void any_text_is_read_without_throwing(@ForAll String noise) {
    var content = new TreeMap<String, byte[]>();
    content.put("p.yaml", (PolicyYaml.HEADER + "delay: " + noise).getBytes(UTF_8));
    var loaded =
        new PolicyLoader(Plugins.NONE, failure -> {}).load(new PolicySources(content, List.of()));

    assertThat(loaded instanceof Loaded.Valid<?> || loaded instanceof Loaded.Invalid<?>).isTrue();
  }

  @Test
  void all_parts_are_valid() {
    PARTS.forEach(PolicyYaml::policy);
    PRICES.forEach(PolicyYaml::policy);
  }
}
