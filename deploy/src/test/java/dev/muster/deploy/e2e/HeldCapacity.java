package dev.muster.deploy.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;

/// Stops a start half-way. While active, the API server refuses to remove the gates of pods with
/// the label [#LABEL].
record HeldCapacity(KubernetesClient admin) {
  /// The label of pods to hold; any value.
  static final String LABEL = "e2e.muster.dev/hold";

  private static final String PROBE = "hold-probe";
  private static final KubernetesSerialization YAML = new KubernetesSerialization();
  private static final String POLICY =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingAdmissionPolicy
      metadata: {name: hold}
      spec:
        failurePolicy: Fail
        matchConstraints:
          objectSelector:
            matchExpressions: [{key: e2e.muster.dev/hold, operator: Exists}]
          resourceRules:
          - {apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [pods]}
        validations:
        - expression: >-
            !has(oldObject.spec.schedulingGates) || has(object.spec.schedulingGates)
          message: held by the test
      """;
  private static final String BINDING =
      """
      apiVersion: admissionregistration.k8s.io/v1
      kind: ValidatingAdmissionPolicyBinding
      metadata: {name: hold}
      spec: {policyName: hold, validationActions: [Deny]}
      """;

  /// Begins to hold; in force when this returns.
  void begin() {
    admin.resource(POLICY).create();
    admin.resource(BINDING).create();
    await("gates held")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(50))
        .until(this::holds);
  }

  /// Ends it, if it was begun; no longer in force when this returns.
  void release() {
    if (admin.resource(BINDING).get() == null) {
      return;
    }
    admin.resource(BINDING).delete();
    admin.resource(POLICY).delete();
    await("gates free")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> !holds());
  }

  /// Tries it on a pod that belongs to no scheduler.
  private boolean holds() {
    var pods = admin.pods().inNamespace("default");
    pods.resource(YAML.unmarshal(PROBE_POD, io.fabric8.kubernetes.api.model.Pod.class)).create();
    try {
      pods.withName(PROBE)
          .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"schedulingGates\":null}}");
      return false;
    } catch (KubernetesClientException e) {
      if (e.getCode() != 422 && e.getCode() != 403) {
        throw e;
      }
      return true;
    } finally {
      pods.withName(PROBE).withGracePeriod(0).delete();
    }
  }

  private static final String PROBE_POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: hold-probe, labels: {e2e.muster.dev/hold: probe}}
      spec:
        schedulerName: nobody
        schedulingGates: [{name: e2e.muster.dev/probe}]
        containers: [{name: main, image: registry.example/none}]
      """;

  /// The pod, to be held.
  static PodBuilder held(PodBuilder pod) {
    return pod.editMetadata().addToLabels(LABEL, "true").endMetadata();
  }
}
