/// How log lines look, and how often one is repeated.
@NullMarked
package dev.muster.server.logging;

import org.jspecify.annotations.NullMarked;
