/// The scheduler-extender protocol: reads, answers and writes calls of kube-scheduler.
@NullMarked
package dev.muster.server.http.extender;

import org.jspecify.annotations.NullMarked;
