package dev.muster.policy.config;

import java.util.List;

/// Which nodes are ill.
///
/// @param faultConditions types of node conditions that mean "do not place here" when their status
///     is `True`; may be empty
public record Health(List<String> faultConditions) {
  public Health {
    faultConditions = List.copyOf(faultConditions);
  }
}
