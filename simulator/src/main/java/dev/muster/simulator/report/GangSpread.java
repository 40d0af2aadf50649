package dev.muster.simulator.report;

import dev.muster.simulator.run.JobOutcome;
import java.util.List;

/// How near each other the members of gangs were, at one level of the fabric; jobs of one member
/// are not counted.
///
/// @param level the name of the level
/// @param gangs how many gangs of two or more members started
/// @param meanDomains how many domains of the level one of them ran in, on average
/// @param oneDomain the share of them that ran in one, 0 to 1
public record GangSpread(String level, long gangs, double meanDomains, double oneDomain) {
  static GangSpread of(String level, List<Integer> domains) {
    return new GangSpread(
        level,
        domains.size(),
        Rounded.share(domains.stream().mapToDouble(n -> n).sum(), domains.size()),
        Rounded.share((double) domains.stream().filter(n -> n == 1).count(), domains.size()));
  }

  /// The gangs that started.
  static List<JobOutcome> gangs(List<JobOutcome> jobs) {
    return jobs.stream().filter(job -> job.startMillis() >= 0 && job.job().workers() > 1).toList();
  }
}
