package dev.muster.policy.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.victims.CostTerm;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionLimits;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.load.PolicyLoader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The engine continues and preempts no gang by mistake, whatever a plug-in does.
class PluggedPolicyTest {
  private static final GangProfile PREEMPTOR = new PolicyYaml.Gang().priority(9).subject();
  private static final GangProfile VICTIM = new PolicyYaml.Gang().name("default/victim").subject();

  private final List<ExpressionFailure> failures = new ArrayList<>();

  /// A plug-in that answers so.
  private record Odd(PreemptionPolicy file, Supplier<@Nullable PolicyVerdict> answer)
      implements PreemptionPolicy, PreemptionPolicyProvider {
    @Override
    public String name() {
      return "odd";
    }

    @Override
    public PreemptionPolicy policy(PreemptionPolicy rest, SortedMap<String, String> parameters) {
      return new Odd(rest, answer);
    }

    @Override
    public Mode mode() {
      return file.mode();
    }

    @Override
    public String revision() {
      return file.revision();
    }

    @Override
    public List<CostTerm> terms() {
      return file.terms();
    }

    @Override
    public PreemptionLimits limits() {
      return file.limits();
    }

    @Override
    @SuppressWarnings("NullAway") // as people write it who know no NullAway
    public Optional<Duration> delay(GangProfile preemptor) {
      return answer.get() == null ? null : Optional.of(Duration.ZERO);
    }

    @Override
    @SuppressWarnings("NullAway")
    public PolicyVerdict verdict(GangProfile preemptor, GangProfile victim, Instant now) {
      return answer.get();
    }
  }

  private PreemptionPolicy policy(Supplier<@Nullable PolicyVerdict> answer) {
    var plugins = new Plugins(List.of(new Odd(PreemptionPolicy.OFF, answer)));
    var loader = new PolicyLoader(plugins, failures::add);
    return switch (loader.load(
        PolicyYaml.sources("mode: Enforce\nvictimOrder: [smallest]\nplugin: {name: odd}"))) {
      case Loaded.Valid<PreemptionPolicy>(PreemptionPolicy policy, String _) -> policy;
      case Loaded.Invalid<PreemptionPolicy> invalid -> throw new AssertionError(invalid.render());
    };
  }

  private static PolicyVerdict allowed(long price, Duration notice, Duration grace) {
    return new PolicyVerdict.Allowed("odd", List.of(price), notice, Optional.of(grace));
  }

  static Stream<Supplier<@Nullable PolicyVerdict>> answers() {
    return Stream.of(
        () -> {
          throw new NoClassDefFoundError("gone");
        },
        () -> {
          throw new StackOverflowError();
        },
        () -> null,
        () -> allowed(-1, Duration.ZERO, Duration.ZERO),
        () -> allowed(1, Duration.ofSeconds(-1), Duration.ZERO),
        () -> allowed(1, Duration.ofSeconds(Long.MAX_VALUE), Duration.ZERO),
        () -> allowed(1, Duration.ZERO, Duration.ofSeconds(-1)));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void invalid_answer_spares_the_victim(Supplier<@Nullable PolicyVerdict> answer) {
    assertThat(policy(answer).verdict(PREEMPTOR, VICTIM, PolicyYaml.NOON))
        .isInstanceOf(PolicyVerdict.Protected.class);
    assertThat(failures).hasSize(1);
  }

  @Test
  void missing_delay_is_unknown() {
    assertThat(policy(() -> null).delay(PREEMPTOR)).isEmpty();
    assertThat(failures).hasSize(1);
  }

  @Test
  void valid_answer_counts() {
    PolicyVerdict good = allowed(7, Duration.ofMinutes(1), Duration.ofMinutes(2));

    assertThat(policy(() -> good).verdict(PREEMPTOR, VICTIM, PolicyYaml.NOON)).isEqualTo(good);
    assertThat(failures).isEmpty();
  }
}
