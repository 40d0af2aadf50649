/// The engine's thread and the event queue that it reads.
@NullMarked
package dev.muster.server.loop;

import org.jspecify.annotations.NullMarked;
