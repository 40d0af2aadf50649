@NullMarked
package dev.muster.server;

import org.jspecify.annotations.NullMarked;
