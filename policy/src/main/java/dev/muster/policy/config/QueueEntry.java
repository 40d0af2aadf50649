package dev.muster.policy.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.muster.core.admission.Queue;
import dev.muster.core.admission.Quota;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// A queue as written in the file.
///
/// @param queue the queue read from the entry
public record QueueEntry(Queue queue) {
  @JsonCreator
  static QueueEntry read(
      @JsonProperty("name") String name,
      @JsonProperty("weight") int weight,
      @JsonProperty("namespaces") List<String> namespaces,
      @JsonProperty("maxPriority") @Nullable Integer maxPriority,
      @JsonProperty("guaranteed") GpuAmounts guaranteed,
      @JsonProperty("maximum") GpuAmounts maximum) {
    return new QueueEntry(
        new Queue(
            name,
            weight,
            namespaces,
            Optional.ofNullable(maxPriority),
            guaranteed.quota(),
            maximum.quota()));
  }

  /// GPU counts as written in the file.
  ///
  /// @param quota the quota read from the entry
  record GpuAmounts(Quota quota) {
    @JsonCreator
    static GpuAmounts read(
        @JsonProperty("gpus") @Nullable Integer gpus,
        @JsonProperty("models") SortedMap<String, Integer> models) {
      return new GpuAmounts(new Quota(Optional.ofNullable(gpus), models));
    }
  }
}
