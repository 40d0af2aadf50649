/// Receives requests within bounded time and memory, whatever the callers send.
@org.jspecify.annotations.NullMarked
package dev.muster.server.http.receive;
