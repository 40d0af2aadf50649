/// The CEL expressions by which resource claims select devices, with the functions of Kubernetes.
@NullMarked
package dev.muster.server.kube.dra.cel;

import org.jspecify.annotations.NullMarked;
