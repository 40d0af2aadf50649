/// Requests: gangs, their members, and the needs of each member of a node.
@NullMarked
package dev.muster.core.gang;

import org.jspecify.annotations.NullMarked;
