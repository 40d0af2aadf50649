/// The live cluster: Kubernetes objects become events, and effects become API calls. No Kubernetes
/// type leaves these packages.
@NullMarked
package dev.muster.server.kube;

import org.jspecify.annotations.NullMarked;
