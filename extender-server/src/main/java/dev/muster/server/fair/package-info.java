/// Turns that are shared fairly among flows, such as addresses of callers or namespaces.
@NullMarked
package dev.muster.server.fair;

import org.jspecify.annotations.NullMarked;
