package dev.muster.deploy.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/// The pages of one running Muster, as one caller sees them.
public interface PageSource extends AutoCloseable {
  /// Returns a page.
  ///
  /// @param path path with its query, from `/api/v1/`
  /// @throws PageProblem if the page is refused, or nothing answers
  JsonNode get(String path);

  /// Returns the namespace that is meant if none is named; empty for all namespaces.
  Optional<String> namespace();

  /// Returns the cluster that Muster runs in; empty if it is not known.
  Optional<WorkloadPods> workloads();

  @Override
  void close();
}
