package dev.muster.policy.preemption;

import dev.muster.core.victims.PreemptionPolicy;
import java.util.SortedMap;

/// A policy in Java, for rules that files cannot express.
///
/// [java.util.ServiceLoader] finds providers: a jar names its provider in `META-INF/services`. A
/// file chooses it by name, and still sets the mode, the limits and the revision.
///
/// The provider receives the policy of the rest of the file and may ask it first, so that
/// protections keep holding. Its policy must be pure: equal arguments give equal answers. An
/// exception spares the victim.
public interface PreemptionPolicyProvider {
  /// Returns the name that files use for it.
  String name();

  /// Creates a policy.
  ///
  /// @param file the policy of the rest of the file
  /// @param parameters the parameters in the file
  /// @throws IllegalArgumentException with a sentence for admins, if a parameter is missing,
  ///   unknown or wrong
  PreemptionPolicy policy(PreemptionPolicy file, SortedMap<String, String> parameters);
}
