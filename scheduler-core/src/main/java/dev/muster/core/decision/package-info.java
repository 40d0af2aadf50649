/// What was chosen, and why.
@NullMarked
package dev.muster.core.decision;

import org.jspecify.annotations.NullMarked;
