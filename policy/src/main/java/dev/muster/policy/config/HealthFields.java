package dev.muster.policy.config;

import java.util.List;

/// Rules for unhealthy nodes.
///
/// @param faultConditions types of node conditions that mean "do not place here" when their status
///   is `True`; may be empty
public record HealthFields(List<String> faultConditions) {
  public HealthFields {
    faultConditions = List.copyOf(faultConditions);
  }
}
