package dev.muster.core.admission;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// An account for gangs, with limits for the GPUs that they use together.
///
/// @param name name by which gangs refer to it
/// @param weight share of all usage, relative to the other queues; at least 1
/// @param namespaces namespaces from which it accepts gangs; empty for all
/// @param priorityCeiling highest priority that counts; absent for no ceiling
/// @param guaranteed GPUs that other queues may borrow only while no gang of this queue could use
///   them
/// @param maximum GPUs that its gangs may use at most
public record Queue(
    String name,
    int weight,
    List<String> namespaces,
    Optional<Integer> priorityCeiling,
    Quota guaranteed,
    Quota maximum) {
  /// The maximum weight, up to which shares stay exact.
  public static final int MOST_WEIGHT = 1_000_000;

  public Queue {
    namespaces = List.copyOf(namespaces);
    if (name.isBlank()) {
      throw new IllegalArgumentException("A queue has no name.");
    }
    if (weight < 1 || weight > MOST_WEIGHT) {
      throw new IllegalArgumentException(
          "The queue %s has weight %d; it must be from 1 to %d."
              .formatted(name, weight, MOST_WEIGHT));
    }
    checkWithin(name, "gpus", guaranteed.gpus(), maximum.gpus());
    for (Map.Entry<String, Integer> model : guaranteed.models().entrySet()) {
      Optional<Integer> most = Optional.ofNullable(maximum.models().get(model.getKey()));
      checkWithin(name, model.getKey(), Optional.of(model.getValue()), most);
      checkWithin(name, model.getKey(), Optional.of(model.getValue()), maximum.gpus());
    }
  }

  private static void checkWithin(
      String queue, String what, Optional<Integer> guaranteed, Optional<Integer> maximum) {
    if (guaranteed.isPresent() && maximum.isPresent() && guaranteed.get() > maximum.get()) {
      throw new IllegalArgumentException(
          "The queue %s is guaranteed %d (%s), more than its maximum of %d."
              .formatted(queue, guaranteed.get(), what, maximum.get()));
    }
  }

  /// Returns a queue of weight 1 without limits.
  public static Queue of(String name) {
    return new Queue(name, 1, List.of(), Optional.empty(), Quota.NONE, Quota.NONE);
  }

  /// Returns this queue with another weight.
  public Queue weighing(int other) {
    return new Queue(name, other, namespaces, priorityCeiling, guaranteed, maximum);
  }

  /// Returns this queue, accepting gangs of these namespaces only.
  public Queue taking(List<String> names) {
    return new Queue(name, weight, names, priorityCeiling, guaranteed, maximum);
  }

  /// Returns this queue with a priority ceiling.
  public Queue upTo(int priority) {
    return new Queue(name, weight, namespaces, Optional.of(priority), guaranteed, maximum);
  }

  /// Returns this queue with this guarantee.
  public Queue guaranteed(Quota quota) {
    return new Queue(name, weight, namespaces, priorityCeiling, quota, maximum);
  }

  /// Returns this queue with this maximum.
  public Queue most(Quota quota) {
    return new Queue(name, weight, namespaces, priorityCeiling, guaranteed, quota);
  }
}
