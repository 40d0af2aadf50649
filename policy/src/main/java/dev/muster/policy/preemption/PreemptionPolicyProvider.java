package dev.muster.policy.preemption;

import dev.muster.core.preemption.PreemptionPolicy;
import java.util.SortedMap;

/// A policy in Java, for what files cannot say. Providers are found by [java.util.ServiceLoader]: a
/// jar names its provider in `META-INF/services`.
///
/// A file chooses it by name, and still decides the mode, the limits and the revision. The provider
/// is given the policy that the rest of the file makes and may ask it first, so that protections
/// keep holding. Its policy must be pure: equal arguments give equal answers. What it throws spares
/// the victim.
public interface PreemptionPolicyProvider {
  /// What files call it.
  String name();

  /// A policy.
  ///
  /// @param file what the rest of the file says
  /// @param parameters what the file tells the provider
  /// @throws IllegalArgumentException with a sentence for admins, if a parameter is missing,
  ///   unknown or wrong
  PreemptionPolicy policy(PreemptionPolicy file, SortedMap<String, String> parameters);
}
