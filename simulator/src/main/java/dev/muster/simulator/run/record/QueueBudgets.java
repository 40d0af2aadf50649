package dev.muster.simulator.run.record;

import dev.muster.policy.file.FileKind;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.file.StrictReader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// GPU-hours that queues, users and projects may use in the time of the trace. Budgets do not limit
/// a run; results only state the used share of each.
///
/// @param queues by name of the queue; more than 0 each
/// @param users by name of the user
/// @param projects by name of the project
public record QueueBudgets(
    SortedMap<String, Double> queues,
    SortedMap<String, Double> users,
    SortedMap<String, Double> projects) {
  /// No budgets.
  public static final QueueBudgets NONE =
      new QueueBudgets(
          Collections.emptySortedMap(), Collections.emptySortedMap(), Collections.emptySortedMap());

  /// Holds the reader, which is created with the first file, since most runs have none.
  private static final class Files {
    static final StrictReader<QueueBudgets> READER =
        new StrictReader<>(
            List.of(
                FileKind.of(
                    new FileKind.Header("simulator.muster.dev/v1", "Budgets"),
                    QueueBudgets.class,
                    "budgets-v1.schema.json")));
  }

  public QueueBudgets {
    queues = copy(queues);
    users = copy(users);
    projects = copy(projects);
  }

  private static SortedMap<String, Double> copy(Map<String, Double> map) {
    return Collections.unmodifiableSortedMap(new TreeMap<>(map));
  }

  /// Reads a file of budgets.
  public static Loaded<QueueBudgets> read(Path file) {
    return Files.READER.read(file);
  }
}
