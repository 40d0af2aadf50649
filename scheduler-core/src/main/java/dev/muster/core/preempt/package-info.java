/// Preemption step by step: select victims, notify, evict, reprieve and recover.
@NullMarked
package dev.muster.core.preempt;

import org.jspecify.annotations.NullMarked;
