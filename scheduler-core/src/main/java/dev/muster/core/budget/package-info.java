/// Budgets: GPU time that a queue or a project may use in a period.
@NullMarked
package dev.muster.core.budget;

import org.jspecify.annotations.NullMarked;
