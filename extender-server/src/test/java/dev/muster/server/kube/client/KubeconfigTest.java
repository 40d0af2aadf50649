package dev.muster.server.kube.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A file that does not name its cluster clearly never leads to another cluster.
class KubeconfigTest {
  private static final String GOOD =
      """
      apiVersion: v1
      kind: Config
      current-context: here
      clusters: [{name: near, cluster: {server: "http://127.0.0.1:7"}}]
      contexts: [{name: here, context: {cluster: near, user: me}}]
      users: [{name: me, user: {token: none}}]
      """;

  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("kubeconfig"), text);
  }

  private static void refused(Path file, String message) {
    assertThatThrownBy(() -> Kubeconfig.client(Optional.of(file)).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(file + ": " + message);
  }

  @Test
  void complete_file_gives_its_cluster() throws IOException {
    try (KubernetesClient client = Kubeconfig.client(Optional.of(file(GOOD)))) {
      assertThat(client.getMasterUrl()).hasToString("http://127.0.0.1:7/");
    }
  }

  @Test
  void missing_file_is_refused() {
    refused(folder.resolve("none"), "no such file or folder.");
  }

  @Test
  void folder_is_refused() {
    refused(folder, "is a folder.");
  }

  @Test
  void empty_file_is_refused() throws IOException {
    refused(file("\n"), "is empty. Write it with kubectl config view --raw.");
  }

  @Test
  void text_that_is_not_yaml_is_refused() throws IOException {
    refused(
        file("a: b: c"), "is no kubeconfig: it is not a YAML object. The file may be truncated.");
  }

  @Test
  void object_of_another_kind_is_refused() throws IOException {
    refused(
        file("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n"),
        "is no kubeconfig: its kind is \"Job\", not \"Config\".");
  }

  @Test
  void file_without_context_is_refused() throws IOException {
    refused(
        file("levels: [rack]\n"),
        "no current-context is set. Choose one with kubectl config use-context.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name: here|name: hare|contexts|here|hare",
        "name: near|name: far|clusters|near|far",
        "name: me|name: you|users|me|you"
      })
  void dangling_name_is_refused(
      String before, String after, String list, String missing, String known) throws IOException {
    refused(
        file(GOOD.replace(before, after)),
        "\"%s\" is not among its %s [%s].".formatted(missing, list, known));
  }

  @Test
  void cluster_without_address_is_refused() throws IOException {
    refused(
        file(GOOD.replace("server:", "sever:")),
        "the cluster \"near\" has no server, the address of its API server.");
  }

  /// Runs with the files that `$KUBECONFIG` names: the client reads a property of that name before
  /// it.
  private static void refusedByEnvironment(String kubeconfig, String message) {
    System.setProperty("kubeconfig", kubeconfig);
    try {
      assertThatThrownBy(() -> Kubeconfig.client(Optional.empty()).close())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(message);
    } finally {
      System.clearProperty("kubeconfig");
    }
  }

  @Test
  void file_of_the_environment_is_checked_too() throws IOException {
    Path file = file(GOOD.replace("name: here", "name: hare"));
    refusedByEnvironment(file.toString(), file + ": \"here\" is not among its contexts [hare].");
  }

  @Test
  void file_of_the_environment_must_exist() {
    Path none = folder.resolve("none");
    refusedByEnvironment(none.toString(), none + ": no such file, but $KUBECONFIG names it.");
  }

  @Test
  void files_of_the_environment_are_merged() throws IOException {
    Path one = file(GOOD.replaceAll("clusters:.*\n", ""));
    Path other = folder.resolve("other");
    Files.writeString(other, "clusters: [{name: near, cluster: {server: 'http://127.0.0.1:7'}}]\n");
    System.setProperty("kubeconfig", one + File.pathSeparator + other);
    try (KubernetesClient client = Kubeconfig.client(Optional.empty())) {
      assertThat(client.getMasterUrl()).hasToString("http://127.0.0.1:7/");
    } finally {
      System.clearProperty("kubeconfig");
    }
  }

  @Test
  void without_any_file_a_surrounding_cluster_is_required() {
    System.setProperty("kubernetes.auth.tryKubeConfig", "false");
    try {
      assertThatThrownBy(() -> Kubeconfig.client(Optional.empty()).close())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "No cluster configured: neither $KUBECONFIG nor ~/.kube/config exists, and this is no pod with a service account. Name a file with --kubeconfig.");
    } finally {
      System.clearProperty("kubernetes.auth.tryKubeConfig");
    }
  }
}
