/// The stream of changes: what changed between two images, for whom, and the open connections.
@org.jspecify.annotations.NullMarked
package dev.muster.server.http.stream;
