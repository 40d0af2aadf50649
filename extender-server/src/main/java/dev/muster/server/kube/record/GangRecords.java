package dev.muster.server.kube.record;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Victim;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.ReservationRecord;
import dev.muster.server.kube.codec.VictimsRecord;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/// The records of gangs on the objects of one kind, as far as they can be true.
///
/// Goals: what is kept of all records is bounded by the pods that exist. An edit of an object costs
/// little, whatever its records say.
///
/// Constraints: anybody who may edit an object can forge its records. Pods are listed after their
/// PodGroups, and victims after their preemptors. A record of which nothing is true is to be
/// removed, so the engine must learn of it.
///
/// Algorithm:
/// - No record is read before all objects were listed.
/// - Of a reservation, the promises of existing members are kept; if there are none, one promise. A
///   text that did not change is not read again.
/// - Victims are read once, since only a restart needs them. A victim is kept if its own object
///   names the preemptor, which it does for one preemptor only. Its existing members are kept, with
///   a few others; if there is no such victim, one without members.
public final class GangRecords {
  /// Number of members of a victim that are kept although they are gone. One shows that the victim
  /// has begun to leave.
  static final int GONE = 100;

  private static final RecordFacts ANY =
      new RecordFacts() {
        @Override
        public boolean isMember(GangId gang, MemberId pod) {
          return true;
        }

        @Override
        public boolean isNotified(GangId victim, GangId by) {
          return true;
        }
      };

  private final RecordFacts facts;
  private final Map<String, Promised> promised = new ConcurrentHashMap<>();
  private final Map<String, Preempting> preempting = new ConcurrentHashMap<>();
  private volatile boolean listed;
  private volatile boolean restarting;

  private record Promised(String text, SortedTable<MemberId, NodeId> promises) {}

  private record Preempting(String uid, SortedTable<GangId, Victim> victims) {}

  public GangRecords(RecordFacts facts) {
    this.facts = facts;
  }

  /// Creates a reader that believes all records, for objects of a trusted source.
  public static GangRecords unchecked() {
    GangRecords records = new GangRecords(ANY);
    records.listed = true;
    records.restarting = true;
    return records;
  }

  /// Reads the records that were written before this process began. All objects were listed.
  ///
  /// @param again passes on all objects with records once more
  public void recover(Runnable again) {
    listed = true;
    restarting = true;
    again.run();
    restarting = false;
  }

  /// True if the object has a record.
  public static boolean areOn(HasMetadata object) {
    Map<String, String> annotations = ObjectMetadata.annotations(object);
    return annotations.containsKey(WellKnownNames.RESERVATION)
        || annotations.containsKey(WellKnownNames.VICTIMS);
  }

  /// Forgets the object with this key.
  public void forget(String key) {
    promised.remove(key);
    preempting.remove(key);
  }

  /// Forgets the text of the record of an object that is not valid now. Its store may keep another
  /// text, or none.
  public void invalid(String key) {
    promised.remove(key);
  }

  /// Returns the gang of a PodGroup with its recorded promises and victims.
  public GangSpec ofGroup(String key, HasMetadata group, GangSpec spec) {
    return ofPod(key, group, spec.recording(promises(key, group, spec.id())));
  }

  private SortedTable<MemberId, NodeId> promises(String key, HasMetadata group, GangId gang) {
    String text = ObjectMetadata.annotations(group).getOrDefault(WellKnownNames.RESERVATION, "");
    if (!listed || text.isEmpty()) {
      promised.remove(key);
      return SortedTable.empty();
    }
    Promised known = promised.get(key);
    SortedTable<MemberId, NodeId> promises =
        known != null && known.text.equals(text)
            ? known.promises
            : ReservationRecord.promises(group, pod -> facts.isMember(gang, pod));
    promised.put(key, new Promised(text, promises)); // of two equal texts, the store keeps this one
    return promises;
  }

  /// Returns the gang that a pod declares with its recorded victims.
  public GangSpec ofPod(String key, HasMetadata object, GangSpec spec) {
    PreemptionRecord said = spec.preemption();
    SortedTable<GangId, Victim> victims = victims(key, object, spec.id());
    return victims.isEmpty()
        ? spec
        : spec.recording(new PreemptionRecord(victims, said.stopped(), said.notice()));
  }

  private SortedTable<GangId, Victim> victims(String key, HasMetadata object, GangId gang) {
    if (!ObjectMetadata.annotations(object).containsKey(WellKnownNames.VICTIMS)) {
      preempting.remove(key);
      return SortedTable.empty();
    }
    String uid = Objects.requireNonNullElse(object.getMetadata().getUid(), "");
    Preempting known = preempting.get(key);
    if (known != null && known.uid.equals(uid)) {
      return known.victims;
    }
    SortedTable<GangId, Victim> victims =
        restarting ? confirmed(VictimsRecord.victims(object), gang) : SortedTable.empty();
    if (restarting) {
      preempting.put(key, new Preempting(uid, victims));
    }
    return victims;
  }

  private SortedTable<GangId, Victim> confirmed(SortedTable<GangId, Victim> recorded, GangId by) {
    SortedTable<GangId, Victim> confirmed = SortedTable.empty();
    for (Victim victim : recorded) {
      if (facts.isNotified(victim.gang(), by)) {
        confirmed = confirmed.with(victim.gang(), with(victim, known(victim)));
      }
    }
    if (confirmed.isEmpty() && !recorded.isEmpty()) {
      Victim first = recorded.values().getFirst();
      return confirmed.with(first.gang(), with(first, SortedKeys.empty()));
    }
    return confirmed;
  }

  private SortedKeys<MemberId> known(Victim victim) {
    SortedKeys<MemberId> known = SortedKeys.empty();
    int gone = 0;
    for (MemberId pod : victim.members().asList()) {
      boolean exists = facts.isMember(victim.gang(), pod);
      gone += exists ? 0 : 1;
      known = exists || gone <= GONE ? known.with(pod) : known;
    }
    return known;
  }

  private static Victim with(Victim victim, SortedKeys<MemberId> members) {
    return new Victim(victim.gang(), members, victim.rule(), victim.lostWork());
  }
}
