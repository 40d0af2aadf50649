package dev.muster.server.kube.start;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// The native PodGroups of the cluster, as far as they are start switches.
public interface NativeGroups {
  /// A cluster that serves no native PodGroups.
  NativeGroups NONE =
      new NativeGroups() {
        @Override
        public Optional<String> served() {
          return Optional.empty();
        }

        @Override
        public Optional<SeenSwitch> find(String key) {
          return Optional.empty();
        }

        @Override
        public Collection<SeenSwitch> switches() {
          return List.of();
        }
      };

  /// Returns the API version that is served, such as `scheduling.k8s.io/v1alpha2`.
  Optional<String> served();

  /// Returns the [switch][StartSwitch] with this key: `namespace/name`.
  Optional<SeenSwitch> find(String key);

  /// Returns the switches that exist.
  Collection<SeenSwitch> switches();
}
