/// The state that the engine carries from step to step, and the result of a step.
@NullMarked
package dev.muster.core.state;

import org.jspecify.annotations.NullMarked;
