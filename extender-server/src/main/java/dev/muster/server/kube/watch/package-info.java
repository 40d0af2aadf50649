/// Reads the API: informers, stalled watches, changed facts and objects with mistakes.
@NullMarked
package dev.muster.server.kube.watch;

import org.jspecify.annotations.NullMarked;
