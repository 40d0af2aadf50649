package dev.muster.server.tracing;

import io.opentelemetry.api.common.AttributeKey;

/// The names of attributes. Those of OpenTelemetry's semantic conventions begin with `k8s` or
/// `service`.
final class TraceKeys {
  static final AttributeKey<String> NAMESPACE = AttributeKey.stringKey("k8s.namespace.name");
  static final AttributeKey<String> POD_NAME = AttributeKey.stringKey("k8s.pod.name");
  static final AttributeKey<String> POD_UID = AttributeKey.stringKey("k8s.pod.uid");
  static final AttributeKey<String> GANG = AttributeKey.stringKey("muster.gang.name");
  static final AttributeKey<String> UID = AttributeKey.stringKey("muster.gang.uid");
  static final AttributeKey<Long> MEMBERS = AttributeKey.longKey("muster.gang.members");
  static final AttributeKey<Double> GPUS = AttributeKey.doubleKey("muster.gang.gpus");
  static final AttributeKey<Long> PRIORITY = AttributeKey.longKey("muster.gang.priority");
  static final AttributeKey<String> QUEUE = AttributeKey.stringKey("muster.queue");

  /// How the life of a gang ended: `Succeeded`, `Failed` or `Deleted`.
  static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("muster.outcome");

  /// Why a gang stops: `Preempted`, `Released` or `Deleted`.
  static final AttributeKey<String> CAUSE = AttributeKey.stringKey("muster.cause");

  /// The gang for which another one is preempted, as namespace and name.
  static final AttributeKey<String> PREEMPTOR = AttributeKey.stringKey("muster.preemptor");

  /// The rule of the policy that allows it.
  static final AttributeKey<String> RULE = AttributeKey.stringKey("muster.rule");

  /// The sentence of a reason.
  static final AttributeKey<String> MESSAGE = AttributeKey.stringKey("muster.message");

  /// The number of gangs that are preempted for this one.
  static final AttributeKey<Long> VICTIMS = AttributeKey.longKey("muster.victims");

  /// The planned start, in the format of ISO 8601.
  static final AttributeKey<String> PLANNED = AttributeKey.stringKey("muster.planned");

  static final AttributeKey<String> SERVICE = AttributeKey.stringKey("service.name");
  static final AttributeKey<String> SERVICE_VERSION = AttributeKey.stringKey("service.version");
  static final AttributeKey<String> SERVICE_INSTANCE =
      AttributeKey.stringKey("service.instance.id");

  private TraceKeys() {}
}
