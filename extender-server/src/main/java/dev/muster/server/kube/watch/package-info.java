/// Reads the API: lists, watches and their faults, changed facts and objects with mistakes.
@NullMarked
package dev.muster.server.kube.watch;

import org.jspecify.annotations.NullMarked;
