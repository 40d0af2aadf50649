/// What one node, and a topology domain of nodes, has, offers and promises.
@NullMarked
package dev.muster.core.node;

import org.jspecify.annotations.NullMarked;
