/// What a policy does, in words: verdicts, traces of rules, and plans for a whole cluster.
@NullMarked
package dev.muster.policy.preemption.explain;

import org.jspecify.annotations.NullMarked;
