package dev.muster.simulator.summary;

import dev.muster.simulator.run.record.JobOutcome;
import java.util.List;

/// The spread of gangs over the domains of one topology level.
///
/// Jobs with one member are not counted.
///
/// @param level name of the level
/// @param gangs number of started gangs with two or more members
/// @param meanDomains mean number of domains of the level in which a gang ran
/// @param oneDomain share of gangs that ran in one domain, 0 to 1
public record GangSpread(String level, long gangs, double meanDomains, double oneDomain) {
  static GangSpread of(String level, List<Integer> domains) {
    return new GangSpread(
        level,
        domains.size(),
        Rounding.share(domains.stream().mapToDouble(n -> n).sum(), domains.size()),
        Rounding.share((double) domains.stream().filter(n -> n == 1).count(), domains.size()));
  }

  /// Returns the gangs that started.
  static List<JobOutcome> gangs(List<JobOutcome> jobs) {
    return jobs.stream().filter(job -> job.startMillis() >= 0 && job.job().workers() > 1).toList();
  }
}
