/// Policy files on their way to the scheduler: loaded, tested by their examples, and watched.
@NullMarked
package dev.muster.policy.preemption.load;

import org.jspecify.annotations.NullMarked;
