/// Decides which callers of the pages may see what, as Kubernetes decides it for its own objects.
@NullMarked
package dev.muster.server.http.access;

import org.jspecify.annotations.NullMarked;
