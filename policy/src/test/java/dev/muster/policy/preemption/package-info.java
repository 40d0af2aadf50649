@NullMarked
package dev.muster.policy.preemption;

import org.jspecify.annotations.NullMarked;
