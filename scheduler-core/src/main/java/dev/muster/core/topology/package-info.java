/**
 * The tree of places a gang can be packed into: named levels, each read from one node label, from
 * the outermost (region, fabric) to the innermost (the node itself).
 */
@NullMarked
package dev.muster.core.topology;

import org.jspecify.annotations.NullMarked;
