package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.owner.WantedPodGroup;
import dev.muster.server.logging.LogThrottle;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates and changes the PodGroups of owners, and deletes surplus ones.
///
/// @param api access to the API server
/// @param throttle limiter of log lines about refused deletions
public record OwnerPodGroupWriter(ApiCalls api, LogThrottle throttle) {
  private static final Logger log = LoggerFactory.getLogger(OwnerPodGroupWriter.class);
  private static final String REASON = "PodGroupNotWritten";
  private static final int FORBIDDEN = 403;
  private static final int CONFLICT = 409;

  /// Writes the PodGroup.
  ///
  /// @return the problem for the owner of the gang; empty if it was written, exists already, or a
  ///   retry may succeed
  public Optional<ObjectProblem> write(WantedPodGroup wanted) {
    if (wanted.isSurplus()) {
      delete(wanted);
      return Optional.empty(); // a refusal is for the admin
    }
    ApiCalls.Answer answer =
        wanted.existing().isPresent()
            ? api.patch(
                ResourcePaths.named(path(wanted), wanted.gang().name()),
                ApiCalls.MERGE,
                patch(wanted, wanted.existing().get()))
            : api.post(path(wanted), created(wanted));
    boolean settled = answer.isGood() || answer.code() == CONFLICT || answer.isGone();
    return settled || answer.isPassing()
        ? Optional.empty()
        : Optional.of(
            new ObjectProblem(
                wanted.owner(),
                REASON,
                "The pods wait, because Muster could not write their PodGroup %s: %s"
                    .formatted(wanted.gang().name(), answer.problem())));
  }

  /// Deletes the PodGroup. The caller repeats this, and a role without the right refuses it for all
  /// PodGroups alike.
  private void delete(WantedPodGroup wanted) {
    ApiCalls.Answer answer =
        api.delete(
            ResourcePaths.named(path(wanted), wanted.gang().name()),
            only(wanted.existing().orElse("")));
    if (answer.isRefusal() && throttle.isNew("delete " + answer.code())) {
      log.warn(
          "The PodGroup {}, which its owner left, was not deleted: {}.{}",
          wanted.gang(),
          answer.problem(),
          answer.code() == FORBIDDEN ? " The role may lack delete on PodGroups." : "");
    }
  }

  private static ObjectNode only(String uid) {
    ObjectNode options = JsonBodies.object().put("apiVersion", "v1").put("kind", "DeleteOptions");
    options.putObject("preconditions").put("uid", uid);
    return options;
  }

  private static String path(WantedPodGroup wanted) {
    return ResourcePaths.in(version(), wanted.gang().namespace(), PodGroupDialect.PLURAL);
  }

  private static String version() {
    return PodGroupDialect.SCHEDULER_PLUGINS.apiVersions().getFirst();
  }

  private static ObjectNode created(WantedPodGroup wanted) {
    ObjectNode group =
        JsonBodies.object().put("apiVersion", version()).put("kind", PodGroupDialect.KIND);
    ObjectNode metadata =
        group
            .putObject("metadata")
            .put("namespace", wanted.gang().namespace())
            .put("name", wanted.gang().name());
    describe(wanted, group);
    ObjectRef owner = wanted.owner();
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", owner.apiVersion())
        .put("kind", owner.kind())
        .put("name", owner.name())
        .put("uid", owner.uid())
        .put("controller", true);
    return group;
  }

  private static ObjectNode patch(WantedPodGroup wanted, String uid) {
    ObjectNode patch = JsonBodies.patchOf(uid);
    describe(wanted, patch);
    return patch;
  }

  private static void describe(WantedPodGroup wanted, ObjectNode object) {
    wanted
        .labels()
        .forEach(
            (key, value) -> object.withObject("/metadata").withObject("labels").put(key, value));
    wanted
        .annotations()
        .forEach((key, value) ->
            object.withObject("/metadata").withObject("annotations").put(key, value));
    object.withObject("/spec").put("minMember", wanted.minimum());
  }
}
