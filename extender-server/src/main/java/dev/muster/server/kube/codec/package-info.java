/// Kubernetes objects to facts and back: pods, nodes, PodGroups and the records in their
/// annotations.
@NullMarked
package dev.muster.server.kube.codec;

import org.jspecify.annotations.NullMarked;
