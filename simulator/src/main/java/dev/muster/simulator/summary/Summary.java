package dev.muster.simulator.summary;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.SortedMap;

/// The figures of a run, computed once for the terminal, the files and the report.
///
/// Its JSON form is `summary.json`, with names in snake case. Names that end in S are seconds.
///
/// @param version version of this form
/// @param trace name of the trace as the user wrote it
/// @param fleet name of the fleet as the user wrote it
/// @param nodes number of nodes
/// @param gpus number of GPUs
/// @param policy name of the policy
/// @param placement name of the placement
/// @param seed seed of the random parts
/// @param cutShort true if the run was stopped before its end; the figures then cover a part only
/// @param assumptions all assumptions, one sentence each
/// @param warnings facts to know before the figures are read, one sentence each
/// @param jobs number of submitted jobs
/// @param skipped rows of the trace that could not be read and were left out
/// @param states number of jobs by final state, in lower case
/// @param makespanS from the first submission to the end of the run
/// @param utilisation GPU time in use over available GPU time, from the first submission to the
///   end, 0 to 1
/// @param waitS from submission to the first start, of jobs that started
/// @param queuedS total waiting time, also after preemptions, of jobs that are done
/// @param jctS from submission to the end, of jobs that are done
/// @param slowdown completion time over run time, at least 1; run times below 10 s count as 10 s
/// @param preemptions number of stops
/// @param preemptedJobs number of jobs that were stopped at least once
/// @param gpuHours GPU-hours that jobs held
/// @param lostGpuHours GPU-hours that jobs held without progress
/// @param strandedGpuHours GPU-hours free while gangs waited
/// @param fragmentedGpuHours GPU-hours free on partly used nodes
/// @param cost cost of the nodes from the first submission to the end; cloud nodes from their
///   request until they left; 0 without prices
/// @param cloud requests and cost of cloud nodes, included in `cost`
/// @param fairness Jain's index of the queues' mean slowdowns: 1 when all are equal, 1/n when one
///   of n has all of it
/// @param fairnessUsers Jain's index of the users' mean slowdowns
/// @param bounds lower bounds for any schedule
/// @param locality spread of gangs by topology level, outermost first, the node last
/// @param byQueue groups of jobs by queue, in order of name
/// @param bySize groups of jobs by GPUs, smallest first
/// @param byUser groups of jobs by user, most GPU-hours first
/// @param usage GPU-hours by queue, user, project and model, and budgets
/// @param costPerGpuHour cost over GPU-hours that jobs held; 0 where one of them is 0
/// @param costPerMonth cost of 730 hours: of all own nodes, and of the cloud nodes for the jobs
///   that come in that time
/// @param nodeLosses number of stops by the loss of a node, included in `preemptions`
/// @param goodput GPU-hours with progress over GPU-hours that jobs held, 0 to 1; 0 without any
/// @param byModel groups of started jobs by the GPU models of their last run, in order of name
/// @param modelUse use of the GPU models by size, the smallest size first; empty with one model
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
    Distribution waitS,
    Distribution queuedS,
    Distribution jctS,
    Distribution slowdown,
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
    List<JobGroup> byQueue,
    List<JobGroup> bySize,
    List<JobGroup> byUser,
    Usage usage,
    double costPerGpuHour,
    double costPerMonth,
    long nodeLosses,
    double goodput,
    List<JobGroup> byModel,
    List<ModelUse> modelUse) {
  /// Requests, hours and cost of cloud nodes.
  ///
  /// @param asked number of requests
  /// @param most largest number of nodes at one time, including requested ones that are not ready
  /// @param nodeHours paid node-hours
  /// @param cost their cost
  public record Cloud(long asked, long most, double nodeHours, double cost) {}

  /// Lower bounds of the figures of any schedule for the submitted jobs, without the rejected ones.
  ///
  /// Each job counts with its full run time, in a run that was cut short, too.
  ///
  /// @param jctSMean mean completion time of the fractional schedule
  /// @param waitSMean mean wait of the fractional schedule
  /// @param makespanS least time from the first submission to the last end
  public record Floor(
      @JsonProperty("mean_jct_s") double jctSMean,
      @JsonProperty("mean_wait_s") double waitSMean,
      double makespanS) {}

  /// GPU-hours, each list with the largest first.
  ///
  /// @param byQueue by queue
  /// @param byUser by user
  /// @param byProject by project
  /// @param byModel by GPU model
  /// @param budgets the given budgets: of queues, users and projects, each by name
  public record Usage(
      List<Hours> byQueue,
      List<Hours> byUser,
      List<Hours> byProject,
      List<Hours> byModel,
      List<Budget> budgets) {}

  /// A budget and its use.
  ///
  /// @param of type of its owner: `queue`, `user` or `project`
  /// @param name name of its owner
  /// @param budgetGpuHours GPU-hours that may be used
  /// @param gpuHours GPU-hours that were used
  /// @param consumed used over budget: 1 when it is used up
  public record Budget(
      String of, String name, double budgetGpuHours, double gpuHours, double consumed) {}

  /// GPU-hours of a queue, user, project or model.
  public record Hours(String name, double gpuHours) {}
}
