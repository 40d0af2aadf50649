/// The stream of changes: what changed between two images, for whom, and the open connections.
@NullMarked
package dev.muster.server.http.stream;

import org.jspecify.annotations.NullMarked;
