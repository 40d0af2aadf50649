@NullMarked
package dev.muster.server.metrics;

import org.jspecify.annotations.NullMarked;
