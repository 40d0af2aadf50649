package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// A page that stays open in a real Chromium: the line to Muster breaks, and tokens end.
class LivePageE2E {
  /// Muster keeps the answers of the API server for 30 s.
  private static final Duration LIMIT = Duration.ofSeconds(70);

  /// Keeps each stream that the page opens, so that its state can be read.
  private static final String KEEP_STREAMS =
      """
      window.streams = [];
      window.EventSource = class extends EventSource {
        constructor(...given) {
          super(...given);
          window.streams.push(this);
        }
      };
      """;

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped();

  private BrowserTab tab;
  private Relay line;

  @BeforeAll
  static void needs_a_browser() {
    assumeTrue(Files.isExecutable(BrowserTab.program()), "There is no Chromium on this machine.");
  }

  @BeforeEach
  void open() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(ShippedFiles.folder().resolve("target"), "browser-");
    line = Relay.to(STAGE.secure().getPort());
    tab = BrowserTab.open(BrowserTab.program(), folder);
    tab.beforePages(KEEP_STREAMS);
  }

  @AfterEach
  void close() throws IOException {
    tab.close();
    line.close();
  }

  private void signIn(String token) {
    tab.open("https://127.0.0.1:%d/queue".formatted(line.port()));
    tab.signIn(token);
  }

  private void awaitText(String text) {
    await(text).atMost(LIMIT).until(() -> tab.text().contains(text));
  }

  private void awaitStream() {
    await("the stream is open")
        .atMost(LIMIT)
        .until(() -> tab.evaluate("window.streams.at(-1)?.readyState === 1").asBoolean());
  }

  private static void submit(String name) {
    STAGE.cluster().create(gpuPod(name, 8));
  }

  @Test
  void page_goes_on_when_the_line_that_was_cut_is_back() {
    signIn(ControlPlane.ADMIN_TOKEN);
    submit("first");
    awaitText("default/first");
    awaitStream();

    line.cut();
    awaitText("Muster does not answer. This is what it last said.");
    assertThat(tab.text()).contains("default/first");
    submit("second");

    line.mend();
    awaitText("default/second");
    awaitText("Live.");
    awaitStream();
    submit("third");
    awaitText("default/third");
  }

  @Test
  void page_asks_for_a_token_when_that_of_the_browser_has_ended() {
    signIn(viewerToken());
    submit("mine");
    awaitText("default/mine");

    STAGE.admin().serviceAccounts().inNamespace("default").withName("viewer").delete();

    awaitText("The API server does not accept this token. It may have expired.");
    assertThat(tab.text()).contains("Token of the cluster").doesNotContain("default/mine");
    tab.signIn(ControlPlane.ADMIN_TOKEN);
    assertThat(tab.text()).contains("default/mine");
  }

  @Test
  void page_asks_for_a_token_again_after_a_restart() {
    signIn(ControlPlane.ADMIN_TOKEN);
    submit("kept");
    awaitText("default/kept");

    STAGE.killMuster();
    awaitText("Muster does not answer. This is what it last said.");
    STAGE.startMuster();

    awaitText("Muster has restarted, or eight hours have passed. Give a token again.");
    tab.signIn(ControlPlane.ADMIN_TOKEN);
    awaitText("default/kept");
  }

  /// Returns a token for the pages alone, whose owner sees the namespace `default`.
  private static String viewerToken() {
    var admin = STAGE.admin();
    admin
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("viewer")
                .endMetadata()
                .build())
        .create();
    admin
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("viewer")
                .endMetadata()
                .withNewRoleRef(
                    "rbac.authorization.k8s.io", "ClusterRole", "muster-podgroup-viewer")
                .addNewSubject()
                .withKind("ServiceAccount")
                .withNamespace("default")
                .withName("viewer")
                .endSubject()
                .build())
        .create();
    var wanted =
        new TokenRequestBuilder()
            .withNewSpec()
            .withExpirationSeconds(600L)
            .withAudiences("muster.dev")
            .endSpec()
            .build();
    return Objects.requireNonNull(
            admin.serviceAccounts().inNamespace("default").withName("viewer").tokenRequest(wanted))
        .getStatus()
        .getToken();
  }
}
