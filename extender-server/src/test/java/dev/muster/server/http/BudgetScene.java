package dev.muster.server.http;

import dev.muster.core.admission.Queues;
import dev.muster.core.budget.BudgetOwner;
import dev.muster.core.cluster.Event;
import dev.muster.core.state.Step;
import dev.muster.policy.config.Budget;
import dev.muster.policy.config.Budget.OnExceeded;
import dev.muster.policy.config.Budget.Period;
import dev.muster.server.usage.UsageBook;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A usage book with budgets, in which two gangs of 8 GPUs of the queue `research` run for an hour.
final class BudgetScene {
  private BudgetScene() {}

  static UsageBook open(Budget... budgets) {
    try {
      return UsageBook.open(Optional.empty(), 400, Queues.NONE, List.of(budgets), ServerImages.NOW);
    } catch (IOException impossible) {
      throw new UncheckedIOException("Memory is no file.", impossible);
    }
  }

  /// A book that cannot be read, since its file is a folder.
  static UsageBook unreadable(Path folder) throws IOException {
    Budget budget = new Budget(BudgetOwner.queue("research"), 48, Period.DAY, OnExceeded.HOLD);
    return UsageBook.open(Optional.of(folder), 400, Queues.NONE, List.of(budget), ServerImages.NOW);
  }

  /// A budget that ends, one that is spent, one that lasts, and one of a project.
  static UsageBook book() {
    BudgetOwner research = BudgetOwner.queue("research");
    UsageBook book =
        open(
            new Budget(research, 48, Period.DAY, OnExceeded.HOLD),
            new Budget(research, 16, Period.WEEK, OnExceeded.HOLD),
            new Budget(research, 1_000_000, Period.MONTH, OnExceeded.TELL),
            new Budget(BudgetOwner.project("llm"), 5, Period.YEAR, OnExceeded.TELL));
    ServerImages running =
        ServerImages.cluster().train(2).bound("r0", "gpu-1").bound("r1", "gpu-2");
    book.note(new Step(running.state(), List.of(), List.of()));
    book.note(
        new Step(
            running.after(new Event.Tick(ServerImages.NOW.plusSeconds(3_600))).state(),
            List.of(),
            List.of()));
    book.write();
    return book;
  }
}
