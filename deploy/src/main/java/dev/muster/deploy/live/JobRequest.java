package dev.muster.deploy.live;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;

/// A training job as a user asks for it: pods of equal size that start together.
///
/// @param kind the kind of object that creates the pods
/// @param name name of the object, a DNS label that begins with a letter
/// @param namespace its namespace
/// @param pods number of pods with GPUs, at least 1
/// @param template the content of each pod
/// @param labels labels of the gang
/// @param annotations annotations of the gang
record JobRequest(
    Kind kind,
    String name,
    String namespace,
    int pods,
    Template template,
    SortedMap<String, String> labels,
    SortedMap<String, String> annotations) {

  /// The kinds of objects, by the names that users type.
  enum Kind {
    JOB("batch/v1", "Job"),
    JOBSET("jobset.x-k8s.io/v1alpha2", "JobSet"),
    PYTORCHJOB("kubeflow.org/v1", "PyTorchJob"),
    MPIJOB("kubeflow.org/v2beta1", "MPIJob");

    private final String apiVersion;
    private final String resource;

    Kind(String apiVersion, String resource) {
      this.apiVersion = apiVersion;
      this.resource = resource;
    }

    String apiVersion() {
      return apiVersion;
    }

    /// Returns the kind as the API server writes it.
    String resource() {
      return resource;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The content of each pod.
  ///
  /// @param image image of its container
  /// @param command program and arguments; if empty, those of the image
  /// @param environment variables of the container
  /// @param gpus number of GPUs of each pod, at least 1
  /// @param gpuResource resource name of the GPUs
  /// @param requests other resources, such as `cpu`, as quantities
  /// @param claims names of PersistentVolumeClaims by the paths at which they are mounted
  /// @param pod fields of the pod, such as `priorityClassName`
  record Template(
      String image,
      List<String> command,
      SortedMap<String, String> environment,
      int gpus,
      String gpuResource,
      SortedMap<String, String> requests,
      SortedMap<String, String> claims,
      SortedMap<String, String> pod) {

    /// True if the program is torchrun, which reads its options from variables, too.
    boolean isTorchrun() {
      return !command.isEmpty() && command.getFirst().matches("(.*/)?torchrun");
    }

    Map<String, String> limits() {
      return Map.of(gpuResource, Integer.toString(gpus));
    }
  }
}
