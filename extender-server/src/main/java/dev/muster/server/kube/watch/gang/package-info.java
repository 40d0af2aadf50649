/// Keeps what the pods of each gang say of it: its data, their runs and what does not count.
@NullMarked
package dev.muster.server.kube.watch.gang;

import org.jspecify.annotations.NullMarked;
