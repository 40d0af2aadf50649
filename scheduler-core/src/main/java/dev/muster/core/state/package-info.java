/// What the scheduler carries from step to step, and what a step returns.
@NullMarked
package dev.muster.core.state;

import org.jspecify.annotations.NullMarked;
