/// Everything Muster answers over HTTP: kube-scheduler's extender calls, the admission webhook,
/// probes, metrics and the API. It reads the published image and writes nothing. Start at
/// [HttpFront] for the wiring and at [AllowedNodes] for what a pod is told.
@NullMarked
package dev.muster.server.http;

import org.jspecify.annotations.NullMarked;
