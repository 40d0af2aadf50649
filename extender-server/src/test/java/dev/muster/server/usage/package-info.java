/// Tests of usage.
@NullMarked
package dev.muster.server.usage;

import org.jspecify.annotations.NullMarked;
