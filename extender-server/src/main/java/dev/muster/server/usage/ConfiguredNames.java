package dev.muster.server.usage;

import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.policy.config.Budget;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The names of the configuration that accounts can have. Tenants choose all other names freely.
///
/// @param queues configured queues, and queues with a budget
/// @param projects projects with a budget
record ConfiguredNames(Set<String> queues, Set<String> projects) {
  ConfiguredNames {
    queues = Set.copyOf(queues);
    projects = Set.copyOf(projects);
  }

  static ConfiguredNames of(Queues queues, List<Budget> budgets) {
    Set<String> allQueues = new HashSet<>(queues.byName().keys());
    Set<String> projects = new HashSet<>();
    for (Budget budget : budgets) {
      BudgetOwner owner = budget.owner();
      switch (owner.kind()) {
        case QUEUE -> allQueues.add(owner.name());
        case PROJECT -> projects.add(owner.name());
      }
    }
    return new ConfiguredNames(allQueues, projects);
  }

  /// Returns the account without names that tenants choose. Names of budgets stay, so that all
  /// usage counts for them.
  UsageAccount coarse(UsageAccount account) {
    return new UsageAccount(
        queues.contains(account.queue()) ? account.queue() : "",
        account.namespace(),
        "",
        projects.contains(account.project()) ? account.project() : "",
        account.model());
  }
}
