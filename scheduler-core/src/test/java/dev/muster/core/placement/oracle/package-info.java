/// An oracle for small cases: what the best placement is, found by a constraint solver from the
/// facts alone, and how far the search is from it. Nothing of the search is used here.
@NullMarked
package dev.muster.core.placement.oracle;

import org.jspecify.annotations.NullMarked;
