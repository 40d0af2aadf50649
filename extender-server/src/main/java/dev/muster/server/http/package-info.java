/// The HTTP side of the server: routes, webhook, API pages and metrics.
@NullMarked
package dev.muster.server.http;

import org.jspecify.annotations.NullMarked;
