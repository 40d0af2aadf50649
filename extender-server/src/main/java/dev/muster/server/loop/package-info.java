/// The one thread that decides, and the queue it reads.
@NullMarked
package dev.muster.server.loop;

import org.jspecify.annotations.NullMarked;
