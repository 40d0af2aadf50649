/// The tree of domains into which a gang can be packed. Its named levels are each read from one
/// node label, from the outermost (region, fabric) to the innermost (the node itself).
@NullMarked
package dev.muster.core.topology;

import org.jspecify.annotations.NullMarked;
