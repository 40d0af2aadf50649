package dev.muster.server.kube.dra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// The selectors of one namespace take seconds of CPU time in all, however many claims there are.
class SelectionAllowanceTest {
  private static final long SECOND = SelectionTime.LIMIT_NANOS;

  private long cpu;
  private final SelectionAllowance allowance = new SelectionAllowance(() -> cpu);

  /// Evaluates until the time is over or the work is done, in steps of a tenth of a millisecond.
  private long evaluate(String claim, long work) {
    long from = cpu;
    SelectionTime time = allowance.of(claim);
    while (!time.isOver() && cpu - from < work) {
      cpu += SECOND / 10_000;
    }
    allowance.used(claim, time);
    return cpu - from;
  }

  @Test
  void thousand_endless_claims_of_a_namespace_take_a_few_seconds() {
    for (int i = 0; i < 1_000; i++) {
      evaluate("hostile/claim-" + i, Long.MAX_VALUE);
    }
    assertThat(cpu).isLessThan(4 * SECOND);
  }

  @Test
  void each_renewal_undoes_a_halving() {
    for (int i = 0; i < 10; i++) {
      evaluate("ml/costly-" + i, SECOND / 5);
      allowance.renew();
    }
    allowance.renew();
    assertThat(evaluate("ml/large", SECOND / 2)).isEqualTo(SECOND / 2);
  }

  @Test
  void endless_claims_leave_another_namespace_its_second() {
    for (int i = 0; i < 100; i++) {
      evaluate("hostile/claim-" + i, Long.MAX_VALUE);
    }
    assertThat(evaluate("honest/claim", SECOND / 2)).isEqualTo(SECOND / 2);
  }

  @Test
  void usual_claims_keep_the_time_of_a_namespace() {
    for (int i = 0; i < 100; i++) {
      evaluate("honest/claim-" + i, SECOND / 10);
      allowance.renew();
    }
    assertThat(evaluate("honest/large", SECOND / 2)).isEqualTo(SECOND / 2);
  }

  @Test
  void usual_claims_of_a_namespace_share_their_time() {
    for (int i = 0; i < 100; i++) {
      evaluate("hostile/claim-" + i, SECOND / 10);
    }
    assertThat(cpu).isLessThan(SelectionAllowance.SHARED_NANOS + SelectionAllowance.COSTLY_NANOS);
    assertThat(allowance.of("hostile/claim").isNone()).isTrue();
  }
}
