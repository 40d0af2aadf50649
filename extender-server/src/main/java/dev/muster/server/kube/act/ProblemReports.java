package dev.muster.server.kube.act;

import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.ObjectRef;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports problems of gangs and nodes by Events and in the log.
///
/// @param events writes the Events
/// @param objects current PodGroups
public record ProblemReports(EventWriter events, GangObjects objects) {
  private static final Logger log = LoggerFactory.getLogger(ProblemReports.class);

  /// Writes an Event on the node that has the problem, otherwise on the PodGroup or lone pod. A
  /// problem of a node is also logged as a warning.
  ///
  /// @param lone pod of a gang without PodGroup
  /// @return true if it was written or never can be
  public boolean write(Effect.Report report, Optional<MemberId> lone) {
    report.node().ifPresent(_ -> log.warn("{}: {}", report.reason(), report.message()));
    var event = new EventWriter.Notice(true, report.reason(), report.message());
    return report
        .node()
        .map(ProblemReports::reference)
        .or(() -> reference(report.gang(), lone))
        .map(object -> events.write(object, event))
        .orElse(true);
  }

  /// Returns the reference to a node as kubelets write it: with its name as uid. `kubectl describe`
  /// shows such Events.
  private static ObjectRef reference(NodeId node) {
    return new ObjectRef("v1", "Node", "", node.name(), node.name());
  }

  private Optional<ObjectRef> reference(GangId gang, Optional<MemberId> lone) {
    return objects.find(gang).map(ObjectRef::to).or(() -> lone.map(ObjectRef::to));
  }
}
