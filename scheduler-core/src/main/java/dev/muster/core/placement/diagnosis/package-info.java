/// Why was no placement found? The diagnosis of a failed search finds its main reason.
@NullMarked
package dev.muster.core.placement.diagnosis;

import org.jspecify.annotations.NullMarked;
