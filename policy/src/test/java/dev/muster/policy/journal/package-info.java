@NullMarked
package dev.muster.policy.journal;

import org.jspecify.annotations.NullMarked;
