package dev.muster.core.budget;

import dev.muster.core.gang.GangSpec;

/// Whose GPU time a budget counts: all of a queue, or all of a project in any queue.
///
/// @param kind what the name names
/// @param name name of a queue, or value of the label of a project
public record BudgetOwner(Kind kind, String name) {
  /// The label by which a gang states its project.
  public static final String PROJECT_LABEL = "muster.dev/project";

  /// What a budget is for.
  public enum Kind {
    QUEUE,
    PROJECT
  }

  /// Returns the owner of budgets for a queue.
  public static BudgetOwner queue(String name) {
    return new BudgetOwner(Kind.QUEUE, name);
  }

  /// Returns the owner of budgets for a project.
  public static BudgetOwner project(String name) {
    return new BudgetOwner(Kind.PROJECT, name);
  }

  /// True if the GPU time of the gang counts.
  ///
  /// @param queue queue to which the gang is accounted
  public boolean covers(GangSpec gang, String queue) {
    return switch (kind) {
      case QUEUE -> name.equals(queue);
      case PROJECT -> name.equals(gang.labels().get(PROJECT_LABEL));
    };
  }

  /// Returns the owner as part of a sentence, such as `queue research`.
  @Override
  public String toString() {
    return switch (kind) {
      case QUEUE -> "queue " + name;
      case PROJECT -> "project " + name;
    };
  }
}
