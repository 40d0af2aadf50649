/// Writes to the API: starts, evictions, nominations, statuses and events.
@NullMarked
package dev.muster.server.kube.act;

import org.jspecify.annotations.NullMarked;
