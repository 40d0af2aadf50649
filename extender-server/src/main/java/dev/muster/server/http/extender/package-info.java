/// The scheduler-extender protocol: calls of kube-scheduler, read, answered and written.
@NullMarked
package dev.muster.server.http.extender;

import org.jspecify.annotations.NullMarked;
