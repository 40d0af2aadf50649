/// Tests of what callers may see.
@NullMarked
package dev.muster.server.http.access;

import org.jspecify.annotations.NullMarked;
