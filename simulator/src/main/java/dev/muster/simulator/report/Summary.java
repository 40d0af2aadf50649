package dev.muster.simulator.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.SortedMap;

/// The figures of a run, as they are shown and written: the one place where they are computed.
///
/// Its JSON form is `summary.json`, with names in snake case. Names that end in S are seconds.
///
/// @param version the version of this form
/// @param trace how the user called the trace
/// @param fleet how the user called the fleet
/// @param nodes how many nodes it has
/// @param gpus how many GPUs
/// @param policy the name of the policy
/// @param placement the name of the placement
/// @param seed what the random parts were drawn from
/// @param cutShort whether the run was stopped before its end: then it tells of a part only
/// @param assumptions all that was assumed, a sentence each
/// @param warnings what a reader must know before the figures, a sentence each
/// @param jobs how many jobs were submitted
/// @param skipped how many rows of the trace could not be read and were left out
/// @param states how many jobs ended where, by state in small letters
/// @param makespanS from the first submission to the end of the run
/// @param utilisation GPU time in use over GPU time that was there, from the first submission to
///   the end, 0 to 1
/// @param waitS from submission to the first start, of jobs that started
/// @param queuedS all the time that jobs waited, after preemptions too, of jobs that are done
/// @param jctS from submission to the end, of jobs that are done
/// @param slowdown completion time over run time, run times below 10 s counted as 10 s, at least 1
/// @param preemptions how often jobs were stopped
/// @param preemptedJobs how many jobs were stopped at least once
/// @param gpuHours GPU-hours that jobs held
/// @param lostGpuHours GPU-hours that jobs held without getting on
/// @param strandedGpuHours GPU-hours free while gangs waited
/// @param fragmentedGpuHours GPU-hours free on nodes that were partly in use
/// @param cost what the nodes cost from the first submission to the end, cloud nodes from when they
///   were asked for until they left; 0 without prices
/// @param cloud what of it is for cloud nodes
/// @param fairness Jain's index of the queues' mean slowdowns: 1 when all are alike, 1/n when one
///   of n bears it all
/// @param fairnessUsers the same between users
/// @param bounds what no schedule could have done better
/// @param locality by level of the fabric, outermost first, the node last
/// @param byQueue groups of jobs by queue, in order of name
/// @param bySize groups of jobs by GPUs, smallest first
/// @param byUser groups of jobs by user, most GPU-hours first
/// @param usage GPU-hours by queue, user, project and model, and budgets
public record Summary(
    String version,
    String trace,
    String fleet,
    int nodes,
    int gpus,
    String policy,
    String placement,
    long seed,
    boolean cutShort,
    List<String> assumptions,
    List<String> warnings,
    long jobs,
    long skipped,
    SortedMap<String, Long> states,
    double makespanS,
    double utilisation,
    Stats waitS,
    Stats queuedS,
    Stats jctS,
    Stats slowdown,
    long preemptions,
    long preemptedJobs,
    double gpuHours,
    double lostGpuHours,
    double strandedGpuHours,
    double fragmentedGpuHours,
    double cost,
    Cloud cloud,
    double fairness,
    double fairnessUsers,
    Floor bounds,
    List<GangSpread> locality,
    List<Group> byQueue,
    List<Group> bySize,
    List<Group> byUser,
    Usage usage) {
  /// Nodes that came on demand.
  ///
  /// @param asked how often one was asked for
  /// @param most how many there were at most at one time, those on their way too
  /// @param nodeHours how long they were paid, together
  /// @param cost what they cost
  public record Cloud(long asked, long most, double nodeHours, double cost) {}

  /// What no schedule could have done better with the jobs submitted but for those rejected, each
  /// run to its end: in a run that was cut short, too.
  ///
  /// @param jctSMean the mean completion time of the fractional schedule
  /// @param waitSMean its mean wait
  /// @param makespanS the least time from the first submission to the last end
  public record Floor(
      @JsonProperty("mean_jct_s") double jctSMean,
      @JsonProperty("mean_wait_s") double waitSMean,
      double makespanS) {}

  /// GPU-hours, each list with the most first.
  ///
  /// @param byQueue by queue
  /// @param byUser by user
  /// @param byProject by project
  /// @param byModel by GPU model
  /// @param budgets those that were given, in order of queues, users and projects by name
  public record Usage(
      List<Hours> byQueue,
      List<Hours> byUser,
      List<Hours> byProject,
      List<Hours> byModel,
      List<Budget> budgets) {}

  /// How much of a budget was used.
  ///
  /// @param of whose it is: a `queue`, a `user` or a `project`
  /// @param name the name of that
  /// @param budgetGpuHours what may be used
  /// @param gpuHours what was used
  /// @param consumed used over budget: 1 when it is used up
  public record Budget(
      String of, String name, double budgetGpuHours, double gpuHours, double consumed) {}

  /// GPU-hours of somebody or something.
  public record Hours(String name, double gpuHours) {}
}
