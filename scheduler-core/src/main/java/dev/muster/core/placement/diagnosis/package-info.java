/// Why no place was found: the one binding constraint of a failed search.
@NullMarked
package dev.muster.core.placement.diagnosis;

import org.jspecify.annotations.NullMarked;
