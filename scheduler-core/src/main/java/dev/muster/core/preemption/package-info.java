/// Which gangs are stopped for one that cannot start otherwise.
@NullMarked
package dev.muster.core.preemption;

import org.jspecify.annotations.NullMarked;
