/// Tests of the stream of changes.
@NullMarked
package dev.muster.server.http.stream;

import org.jspecify.annotations.NullMarked;
