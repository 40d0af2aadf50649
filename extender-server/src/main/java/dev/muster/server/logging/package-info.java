/// Format of log lines, and the limit of their repetition.
@NullMarked
package dev.muster.server.logging;

import org.jspecify.annotations.NullMarked;
