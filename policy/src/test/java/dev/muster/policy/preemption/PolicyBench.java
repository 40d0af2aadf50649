package dev.muster.policy.preemption;

import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PolicyVerdict;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.preemption.PolicyYaml.Gang;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Measures the time of one verdict for several policies. Run its `main`; it is no test.
final class PolicyBench {
  private static final int GANGS = 5_000;
  private static final int ROUNDS = 60;

  private PolicyBench() {}

  public static void main(String[] args) {
    String anyone = "rules: [{name: a, action: Allow}]\n";
    PrintStream out = System.out;
    report(out, "selectors only", "rules: [{name: a, to: {priority: {max: 50}}, action: Allow}]");
    report(
        out,
        "one condition in CEL",
        "rules: [{name: a, when: 'preemptor.priority > victim.priority', action: Allow}]");
    report(
        out,
        "three conditions and a cost in CEL",
        """
        rules: [{name: a, when: 'preemptor.priority > victim.priority', action: Allow}]
        protect:
          - {name: p, when: "victim.remaining.orValue(duration('9h')) < duration('1m')"}
          - {name: q, when: "victim.labels[?'team'].orValue('') == 'x'"}
        victimOrder: [lowestPriority, cost]
        cost: [{expression: 'victim.gpus * 600 + victim.lostWork'}]
        """);
    report(out, "no condition", anyone);
  }

  private static void report(PrintStream out, String what, String text) {
    PreemptionPolicy policy = PolicyYaml.policy(text);
    GangProfile preemptor = new Gang().priority(100).gpus(64).subject();
    List<GangProfile> victims = new ArrayList<>();
    for (int i = 0; i < GANGS; i++) {
      victims.add(
          new Gang()
              .name("ns/g" + i)
              .priority(i % 40)
              .gpus(1 + i % 16)
              .ran(Duration.ofMinutes(i))
              .subject());
    }
    // Time of the processor, so that other work on the machine does not count.
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long[] nanos = new long[ROUNDS];
    long allowed = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long start = threads.getCurrentThreadCpuTime();
      for (GangProfile victim : victims) {
        allowed +=
            policy.verdict(preemptor, victim, PolicyYaml.NOON) instanceof PolicyVerdict.Allowed
                ? 1
                : 0;
      }
      nanos[round] = threads.getCurrentThreadCpuTime() - start;
    }
    long[] warm = Arrays.copyOfRange(nanos, ROUNDS / 2, ROUNDS);
    Arrays.sort(warm);
    out.printf(
        "%s: median %.2f us, best %.2f us per victim (%d rulings allowed)%n",
        what, warm[warm.length / 2] / 1e3 / GANGS, warm[0] / 1e3 / GANGS, allowed / ROUNDS);
  }
}
