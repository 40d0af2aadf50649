/// How log lines look.
@NullMarked
package dev.muster.server.logging;

import org.jspecify.annotations.NullMarked;
