package dev.muster.server.kube;

import dev.muster.server.kube.watch.ResourceWatch;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/// Receiver of priority classes. A change affects the gangs that name the class.
final class PriorityValues implements ResourceWatch.Sink<PriorityClass> {
  private final Map<String, Integer> values = new ConcurrentHashMap<>();
  private final Runnable changed;

  PriorityValues(Runnable changed) {
    this.changed = changed;
  }

  @Override
  public void seen(String key, PriorityClass object) {
    Integer value = Objects.requireNonNullElse(object.getValue(), 0);
    if (!value.equals(values.put(key, value))) {
      changed.run();
    }
  }

  @Override
  public void gone(String key) {
    if (values.remove(key) != null) {
      changed.run();
    }
  }
}
