/// The expressions by which claims of Dynamic Resource Allocation select devices: CEL, with the
/// variable and the functions that Kubernetes adds to it.
@NullMarked
package dev.muster.server.kube.cel;

import org.jspecify.annotations.NullMarked;
