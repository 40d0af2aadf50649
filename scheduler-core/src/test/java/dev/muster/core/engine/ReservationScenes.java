package dev.muster.core.engine;

import dev.muster.core.cluster.Event;
import dev.muster.core.cluster.Promise;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.Resources;
import dev.muster.core.kit.GangDraft;
import dev.muster.core.kit.Scene;
import java.util.Map;
import java.util.Optional;

/// Scenes and steps that tests of reservations share.
abstract class ReservationScenes {
  static final String TWO_OF_FOUR = "b/r: n1[....] n2[....]";

  static Optional<String> promise(Scene scene, Member member) {
    return scene.cluster().promise(member).map(Promise::node).map(NodeId::name);
  }

  static Event unmanagedPod(Scene scene, String node, int gpus) {
    return new Event.UnmanagedPodSeen(
        scene.now(),
        Scene.unmanagedPod(node),
        new NodeId(node),
        Resources.of("nvidia.com/gpu", gpus),
        gpus);
  }

  /// The gang's object, with a record that an earlier run wrote.
  static void recorded(Scene scene, GangDraft draft, Map<Integer, String> nodes) {
    SortedTable<MemberId, NodeId> record = SortedTable.empty();
    for (var entry : nodes.entrySet()) {
      record = record.with(draft.member(entry.getKey(), "").id(), new NodeId(entry.getValue()));
    }
    GangSpec spec = draft.spec();
    scene.then(new Event.GangSeen(scene.now(), spec.recording(record)));
  }
}
