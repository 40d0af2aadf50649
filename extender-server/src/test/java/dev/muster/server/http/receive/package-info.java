/// Tests of how requests are received.
@org.jspecify.annotations.NullMarked
package dev.muster.server.http.receive;
