/// Tests of how requests are received.
@NullMarked
package dev.muster.server.http.receive;

import org.jspecify.annotations.NullMarked;
