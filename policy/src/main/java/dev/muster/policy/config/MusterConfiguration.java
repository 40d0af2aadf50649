package dev.muster.policy.config;

import dev.muster.core.admission.Queues;
import dev.muster.core.engine.Policies;
import dev.muster.policy.file.Durations;
import dev.muster.policy.journal.Rotation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.event.Level;

/// All an admin can set about a Muster server. `deploy/config/muster.yaml` explains each field.
///
/// @param server where it listens
/// @param accelerators the extended resources that are whole GPUs, at least one; all others are
///     counted like ordinary resources
/// @param schedulerNames the schedulers whose pods are placed, at least one; pods of others are
///     only counted
/// @param topology the levels gangs are packed into
/// @param gangs how long gangs may take
/// @param backfill how big gangs are kept from waiting for ever behind small ones
/// @param queues the queues that gangs are accounted to; none: every name is one
/// @param usageHalfLife in which half of the GPU time that queues have used is forgotten
/// @param preemption where the preemption policy is
/// @param gating what the webhook adds to pods
/// @param health which nodes are ill
/// @param resync the time between two comparisons with what the watches have brought; longer than
///     zero
/// @param journal the file that gets events and decisions as JSON Lines; empty for none
/// @param logLevel what is logged
public record MusterConfiguration(
    Server server,
    List<String> accelerators,
    List<String> schedulerNames,
    Topology topology,
    Gangs gangs,
    Backfilling backfill,
    List<QueueEntry> queues,
    Duration usageHalfLife,
    Preemption preemption,
    Gating gating,
    Health health,
    Duration resync,
    String journal,
    Level logLevel) {

  public MusterConfiguration {
    accelerators = named("accelerators", accelerators, "nvidia.com/gpu");
    schedulerNames = named("schedulerNames", schedulerNames, "default-scheduler");
    queues = List.copyOf(queues);
    if (!resync.isPositive()) {
      throw new IllegalArgumentException(
          "resync must be longer than zero, but is " + Durations.print(resync) + ".");
    }
    if (!journal.isEmpty() && !preemption.ledger().isEmpty()) {
      checkRecords(journal, preemption.ledger());
    }
  }

  private static void checkRecords(String journal, String ledger) {
    Path turns = real(Path.of(journal));
    Path acts = real(Path.of(ledger));
    if (turns.equals(acts)) {
      String what =
          journal.equals(ledger)
              ? "journal and preemption.ledger are both " + journal
              : "journal (%s) and preemption.ledger (%s) are one file".formatted(journal, ledger);
      throw new IllegalArgumentException(
          what + ", and each would drop the other's lines. Maybe you meant two files.");
    }
    if (Rotation.maySpoil(turns, acts) || Rotation.maySpoil(acts, turns)) {
      throw new IllegalArgumentException(
          "journal (%s) and preemption.ledger (%s): one has a name under which full files of the other are put aside. Maybe give it another ending."
              .formatted(journal, ledger));
    }
  }

  /// Where the path leads to, through whatever links; the file need not be there yet.
  private static Path real(Path path) {
    Path file = Rotation.followed(path).toAbsolutePath();
    Path folder = file.getParent();
    try {
      return folder == null ? file : folder.toRealPath().resolve(file.getFileName());
    } catch (IOException _) { // there is no such folder yet
      return file.normalize();
    }
  }

  /// What holds when the file sets nothing.
  public static MusterConfiguration defaults() {
    return ConfigurationLoader.defaults();
  }

  /// The queues with all that fair share goes by.
  public Queues shares() {
    return Queues.of(queues.stream().map(QueueEntry::queue).toList(), usageHalfLife);
  }

  /// All of it that the brain goes by, without the preemption policy, which is a file of its own.
  public Policies policies() {
    return policies(shares());
  }

  /// The same with other queues.
  public Policies policies(Queues others) {
    Optional<Duration> patience =
        gangs.gathersForEver() ? Optional.empty() : Optional.of(gangs.gatherTimeout());
    return Policies.of(others, gangs.bindTimeout(), patience)
        .with(backfill.backfill())
        .repairingWithin(gangs.repairTimeout());
  }

  /// The file that gets events and decisions as JSON Lines.
  public Optional<Path> journalFile() {
    return journal.isEmpty() ? Optional.empty() : Optional.of(Path.of(journal));
  }

  private static List<String> named(String field, List<String> names, String usual) {
    if (names.isEmpty() || names.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException(
          field + " must name at least one, but is " + names + ". Maybe you meant " + usual + ".");
    }
    return List.copyOf(names);
  }
}
