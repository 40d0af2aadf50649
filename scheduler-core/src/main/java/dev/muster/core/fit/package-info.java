/// Rules that decide if a member may use a node, and typed refusals with their remedy.
@NullMarked
package dev.muster.core.fit;

import org.jspecify.annotations.NullMarked;
