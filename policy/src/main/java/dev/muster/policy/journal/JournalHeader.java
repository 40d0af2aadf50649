package dev.muster.policy.journal;

import dev.muster.core.admission.Queues;
import dev.muster.core.backfill.BackfillSettings;
import dev.muster.core.state.Policies;
import dev.muster.core.topology.Topology;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/// The first line of a run: its settings. It starts a run on an empty image of the cluster.
///
/// @param topology the levels of the fabric and its known bandwidths, in full
/// @param policies the settings of the run as an admin would write them; they show a reader what
///   was in force. [#plainPolicies] makes policies of them if they are complete.
/// @param queues the queues of the run
public record JournalHeader(Topology topology, SortedMap<String, String> policies, Queues queues)
    implements JournalEntry {

  /// The version of the format, the first field of every header.
  public static final String API_VERSION = "journal.muster.dev/v1";

  private static final String ORDER = "order";
  private static final String BIND_TIMEOUT = "bindTimeout";
  private static final String REPAIR_TIMEOUT = "repairTimeout";
  private static final String DEPTH = "backfill.depth";
  private static final String DRAIN_AFTER = "backfill.drainAfter";
  private static final String PATIENCE = "patience";
  private static final String FAIR_SHARE = "fair-share";
  private static final String PREEMPTION = "preemption";

  public JournalHeader {
    policies = Collections.unmodifiableSortedMap(new TreeMap<>(policies));
  }

  /// Returns the header of a run with these policies.
  ///
  /// @param more further settings to record, such as the revision of the policy file
  public static JournalHeader of(Topology topology, Policies policies, Map<String, String> more) {
    SortedMap<String, String> settings = new TreeMap<>(more);
    settings.put(ORDER, FAIR_SHARE);
    settings.put(BIND_TIMEOUT, TextCodec.print(policies.bindTimeout()));
    settings.put(REPAIR_TIMEOUT, TextCodec.print(policies.repairTimeout()));
    settings.put(DEPTH, String.valueOf(policies.backfill().depth()));
    settings.put(DRAIN_AFTER, TextCodec.print(policies.backfill().drainAfter()));
    if (!policies.preemption().revision().isEmpty()) {
      settings.put(PREEMPTION, policies.preemption().revision());
    }
    Optional<Duration> patience = policies.quorum().patience();
    patience.ifPresent(limit -> settings.put(PATIENCE, TextCodec.print(limit)));
    return new JournalHeader(topology, settings, policies.queues());
  }

  /// Returns the policies of a run that had only queues and limits.
  ///
  /// @throws IllegalArgumentException if the run had policies that the journal does not hold
  public Policies plainPolicies() {
    if (!FAIR_SHARE.equals(policies.get(ORDER))) {
      throw new IllegalArgumentException(
          "The journal's run had policies that the journal does not hold (%s). Name the policy file that was in force."
              .formatted(policies));
    }
    BackfillSettings backfill =
        new BackfillSettings(read(DEPTH, JournalHeader::whole), limit(DRAIN_AFTER));
    Optional<Duration> patience =
        policies.containsKey(PATIENCE) ? Optional.of(limit(PATIENCE)) : Optional.empty();
    return Policies.of(queues, limit(BIND_TIMEOUT), patience)
        .with(backfill)
        .repairingWithin(limit(REPAIR_TIMEOUT));
  }

  /// Returns the revision of the preemption policy at the start of the run; empty for none.
  public String preemption() {
    return policies.getOrDefault(PREEMPTION, "");
  }

  /// Returns this header with another revision of the preemption policy.
  JournalHeader preemptingBy(String revision) {
    SortedMap<String, String> settings = new TreeMap<>(policies);
    settings.put(PREEMPTION, revision);
    return new JournalHeader(topology, settings, queues);
  }

  /// Returns this header for a run without preemption.
  JournalHeader withoutPreemption() {
    SortedMap<String, String> settings = new TreeMap<>(policies);
    settings.remove(PREEMPTION);
    return new JournalHeader(topology, settings, queues);
  }

  private String setting(String name) {
    String value = policies.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "The journal's header has no %s among its policies (%s).".formatted(name, policies));
    }
    return value;
  }

  private Duration limit(String name) {
    return read(name, TextCodec::duration);
  }

  private <T> T read(String name, Function<String, T> reading) {
    String value = setting(name);
    try {
      return reading.apply(value);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException("policies.%s: %s".formatted(name, wrong.getMessage()));
    }
  }

  private static int whole(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(
          "\"%s\" is not a whole number, or too large.".formatted(text));
    }
  }
}
