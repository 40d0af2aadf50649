package dev.muster.policy.config;

import dev.muster.core.admission.Queues;
import dev.muster.core.state.Policies;
import dev.muster.policy.file.Durations;
import dev.muster.policy.journal.FileRotation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.event.Level;

/// All settings of a Muster server. `deploy/config/muster.yaml` explains each field.
///
/// @param server the listeners
/// @param accelerators extended resources that are whole GPUs, at least one; all others are counted
///   like ordinary resources
/// @param schedulerNames schedulers whose pods are placed, at least one; pods of others are only
///   counted
/// @param topology the levels that gangs are packed into
/// @param gangs the timeouts of gangs
/// @param backfill limits that keep small gangs from delaying large ones indefinitely
/// @param queues the queues that gangs are accounted to; if empty, every name is a queue
/// @param owners further kinds of owners whose pods are one gang
/// @param usageHalfLife time after which GPU time used by a queue counts half
/// @param budgets GPU-hours that queues and projects may use
/// @param usage where GPU time is kept, and for how long
/// @param tracing where the traces of gangs are sent
/// @param preemption the location of the preemption policy
/// @param gating the changes that the webhook makes to pods
/// @param health the rules for unhealthy nodes
/// @param resync time between two comparisons of the state with the watch caches; longer than zero
/// @param journal file that receives events and decisions as JSON Lines; empty for none
/// @param logLevel the least severe level that is logged
public record MusterConfiguration(
    ServerFields server,
    List<String> accelerators,
    List<String> schedulerNames,
    TopologyFields topology,
    GangFields gangs,
    BackfillFields backfill,
    List<QueueEntry> queues,
    List<OwnerEntry> owners,
    Duration usageHalfLife,
    List<Budget> budgets,
    UsageFields usage,
    TracingFields tracing,
    PreemptionFields preemption,
    GatingFields gating,
    HealthFields health,
    Duration resync,
    String journal,
    Level logLevel) {

  public MusterConfiguration {
    accelerators = named("accelerators", accelerators, "nvidia.com/gpu");
    schedulerNames = named("schedulerNames", schedulerNames, "default-scheduler");
    queues = List.copyOf(queues);
    owners = List.copyOf(owners);
    budgets = List.copyOf(budgets);
    if (!resync.isPositive()) {
      throw new IllegalArgumentException(
          "resync must be longer than zero, but is " + Durations.print(resync) + ".");
    }
    checkRecords("journal", journal, "preemption.ledger", preemption.ledger());
    checkRecords("journal", journal, "usage.store", usage.store());
    checkRecords("preemption.ledger", preemption.ledger(), "usage.store", usage.store());
  }

  private static void checkRecords(String field, String file, String otherField, String other) {
    if (file.isEmpty() || other.isEmpty()) {
      return;
    }
    Path one = real(Path.of(file));
    Path another = real(Path.of(other));
    if (one.equals(another)) {
      String what =
          file.equals(other)
              ? "%s and %s are both %s".formatted(field, otherField, file)
              : "%s (%s) and %s (%s) are one file".formatted(field, file, otherField, other);
      throw new IllegalArgumentException(what + ". Each needs a file of its own.");
    }
    if (FileRotation.maySpoil(one, another) || FileRotation.maySpoil(another, one)) {
      throw new IllegalArgumentException(
          "%s (%s) and %s (%s): rotation of one would overwrite the other."
              .formatted(field, file, otherField, other));
    }
  }

  /// Returns the path with symbolic links resolved; the file need not exist yet.
  private static Path real(Path path) {
    Path file = FileRotation.followed(path).toAbsolutePath();
    Path folder = file.getParent();
    try {
      return folder == null ? file : folder.toRealPath().resolve(file.getFileName());
    } catch (IOException _) { // the folder does not exist yet
      return file.normalize();
    }
  }

  /// Returns the configuration of a file that sets no field.
  public static MusterConfiguration defaults() {
    return ConfigurationLoader.defaults();
  }

  /// Returns the queues with all inputs of fair share.
  public Queues shares() {
    return Queues.of(queues.stream().map(QueueEntry::queue).toList(), usageHalfLife);
  }

  /// Returns all settings of the engine except the preemption policy, which is a separate file.
  public Policies policies() {
    return policies(shares());
  }

  /// Returns the settings of [#policies()] with `others` as queues.
  public Policies policies(Queues others) {
    Optional<Duration> patience =
        gangs.gathersForEver() ? Optional.empty() : Optional.of(gangs.gatherTimeout());
    return Policies.of(others, gangs.bindTimeout(), patience)
        .with(backfill.backfill())
        .repairingWithin(gangs.repairTimeout());
  }

  /// Returns the file that receives events and decisions as JSON Lines.
  public Optional<Path> journalFile() {
    return journal.isEmpty() ? Optional.empty() : Optional.of(Path.of(journal));
  }

  private static List<String> named(String field, List<String> names, String usual) {
    if (names.isEmpty() || names.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          field + " must have at least one name, but is " + names + ". Example: " + usual + ".");
    }
    return List.copyOf(names);
  }
}
