/// Accounts: the queue that is charged for a gang, and budgets of queues and projects.
@NullMarked
package dev.muster.core.budget;

import org.jspecify.annotations.NullMarked;
