/// `muster policy`: checks, tests, explains and compares preemption policies without a cluster.
@NullMarked
package dev.muster.deploy.policy;

import org.jspecify.annotations.NullMarked;
