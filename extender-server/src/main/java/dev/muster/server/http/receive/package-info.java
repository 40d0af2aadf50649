/// Receives requests within bounded time and memory, whatever the callers send.
@NullMarked
package dev.muster.server.http.receive;

import org.jspecify.annotations.NullMarked;
