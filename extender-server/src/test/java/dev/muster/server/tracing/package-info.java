/// Tests of traces.
@NullMarked
package dev.muster.server.tracing;

import org.jspecify.annotations.NullMarked;
