package dev.muster.server.http;

import dev.muster.core.cluster.Gang;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberState;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The pods of gangs that kube-scheduler may take for victims: those that are bound, or may be in a
/// moment.
///
/// @param uids their uids
/// @param members the same, with what is known of them
record PodsInPlace(NameSet uids, Map<String, Member> members) {
  static PodsInPlace of(SortedTable<GangId, Gang> gangs) {
    Map<String, Member> members = new HashMap<>();
    for (Gang gang : gangs) {
      for (Member member : gang.members()) {
        if (isInPlace(member.state())) {
          members.put(member.id().uid(), member);
        }
      }
    }
    return new PodsInPlace(NameSet.of(members.keySet()), members);
  }

  private static boolean isInPlace(MemberState state) {
    return switch (state) {
      case MemberState.Bound _, MemberState.Waiting _ -> true;
      case MemberState.Held _, MemberState.Leaving _, MemberState.Ended _ -> false;
    };
  }

  /// Those of these pods that are in gangs.
  List<Member> among(Collection<String> pods) {
    return pods.stream().map(members::get).filter(Objects::nonNull).toList();
  }
}
