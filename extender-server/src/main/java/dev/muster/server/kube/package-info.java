/// Access to the live cluster: Kubernetes objects become facts, effects become API calls. No
/// Kubernetes type leaves this package.
@NullMarked
package dev.muster.server.kube;

import org.jspecify.annotations.NullMarked;
