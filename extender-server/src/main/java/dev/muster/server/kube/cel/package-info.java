/// CEL expressions that select devices for claims of Dynamic Resource Allocation.
///
/// The variable and the functions are those of Kubernetes.
package dev.muster.server.kube.cel;
