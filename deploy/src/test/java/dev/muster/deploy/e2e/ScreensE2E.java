package dev.muster.deploy.e2e;

import static dev.muster.deploy.e2e.TestCluster.gpuPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.deploy.ShippedFiles;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The web pages in a real Chromium, over TLS, as two callers see them.
///
/// Without Chromium there is nothing to test: `.ci/run` installs it where Debian has it.
class ScreensE2E {
  private static final List<String> SCREENS =
      List.of(
          "", "queue", "gangs", "gangs/default/wide", "share", "usage", "preemptions", "server");
  private static final String HOSTILE = "<img src=x onerror=alert(1)>\"'&\u202e";

  private static final String AXE = axe();

  private final List<String> breaches = new ArrayList<>();

  @RegisterExtension
  static final TestStage STAGE =
      TestStage.asShipped()
          .on(setup -> setup.withUser(new TestSetup.User("red-token", "red", List.of())));

  @Test
  void screens_are_whole_at_each_width_and_show_a_tenant_only_its_own() throws Exception {
    assumeTrue(Files.isExecutable(BrowserTab.program()), "There is no Chromium on this machine.");
    fillCluster();
    // The browser may still write while it ends, so the folder is left to `mvn clean`.
    Path folder = Files.createTempDirectory(ShippedFiles.folder().resolve("target"), "browser-");
    try (BrowserTab tab = BrowserTab.open(BrowserTab.program(), folder)) {
      tab.open(address("queue"));
      assertThat(tab.text()).contains("Token of the cluster").doesNotContain("wide");
      checkRules(tab, "the form for a token");

      tab.signIn(ControlPlane.ADMIN_TOKEN);
      tab.complaints(); // the browser counts each answer 401 as an error
      assertThat(tab.text()).contains("default/wide");
      tab.open(address("gangs"));
      assertThat(tab.text()).contains("secret/hidden-gang");
      SCREENS.forEach(screen -> checkScreen(tab, screen));
      first_key_leads_to_the_skip_link(tab);

      tab.forget();
      tab.open(address("gangs"));
      tab.signIn("red-token");
      for (String screen : SCREENS) {
        tab.open(address(screen));
        assertThat(tab.text()).as(screen).doesNotContain("hidden");
      }
      tab.loading(() -> tab.evaluate("document.querySelector('header form button').click()"));
      tab.open(address("queue"));
      assertThat(tab.text()).contains("Token of the cluster").doesNotContain("wide");
    }
    assertThat(breaches).isEmpty();
  }

  private static String address(String screen) {
    return STAGE.secure() + "/" + screen;
  }

  /// Nothing is cut, nothing complains, and nothing of a tenant runs.
  private void checkScreen(BrowserTab tab, String screen) {
    for (String colours : List.of("light", "dark")) {
      for (int width : List.of(1400, 768, 390)) {
        tab.media("screen", colours);
        tab.resize(width, 900);
        tab.open(address(screen));
        keep(tab, "%s-%d-%s".formatted(screen.replace('/', '-'), width, colours));
        String what = "%s at %d in %s".formatted(screen, width, colours);
        checkWidth(tab, what);
        checkRules(tab, what);
      }
    }
    tab.resize(794, 1123); // A4 at 96 dots in an inch
    tab.media("print", "light");
    checkWidth(tab, screen + " in print");
    assertThat(tab.evaluate("document.querySelectorAll('main img').length").asInt()).isZero();
    assertThat(tab.evaluate("document.querySelectorAll('h1').length").asInt()).isEqualTo(1);
    assertThat(tab.complaints()).as(screen).isEmpty();
  }

  private static void checkWidth(BrowserTab tab, String what) {
    assertThat(
            tab.evaluate(
                    """
                    JSON.stringify([...document.querySelectorAll('main, main *')]
                      .filter(each => !each.closest('svg') && !each.closest('thead')
                        && !each.classList.contains('unseen')
                        && each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
                      .map(each => each.tagName + ' ' + each.textContent.slice(0, 40)))
                    """)
                .asText())
        .as(what)
        .isEqualTo("[]");
  }

  /// Notes which rules of axe-core the page breaks: those of WCAG, and good practice.
  private void checkRules(BrowserTab tab, String what) {
    tab.evaluate(AXE + ";0");
    tab.evaluate(
            """
            axe.run(document, {resultTypes: ['violations']}).then(found =>
              found.violations.map(each =>
                each.id + ': ' + each.nodes.map(node => node.html).join(' ')))
            """)
        .forEach(broken -> breaches.add(what + ": " + broken.asText()));
  }

  private static String axe() {
    try (InputStream script = ScreensE2E.class.getResourceAsStream("/axe.min.js")) {
      return new String(
          Objects.requireNonNull(script, "axe.min.js is not on the class path").readAllBytes(),
          StandardCharsets.UTF_8);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /// With `-Dscreens=FOLDER`, keeps a picture to look at.
  private static void keep(BrowserTab tab, String name) {
    String kept = System.getProperty("screens", "");
    if (!kept.isEmpty()) {
      try {
        Files.write(Path.of(kept).resolve("screen" + name + ".png"), tab.picture());
      } catch (IOException failed) {
        throw new IllegalStateException(failed);
      }
    }
  }

  private static void first_key_leads_to_the_skip_link(BrowserTab tab) {
    tab.media("screen", "light");
    tab.open(address("queue"));
    tab.tab();
    assertThat(tab.evaluate("document.activeElement.className").asText()).isEqualTo("skip");
  }

  /// Nodes, gangs that run and wait, one of them with a hostile wish, and one of another tenant.
  private static void fillCluster() {
    var admin = STAGE.admin();
    STAGE
        .cluster()
        .createNodes(
            NodeShape.withGpus("node-with-a-rather-long-name-1", 8), NodeShape.withGpus("b", 8));
    admin
        .resource(new NamespaceBuilder().withNewMetadata().withName("secret").endMetadata().build())
        .create();
    admin
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("red")
                .endMetadata()
                .withNewRoleRef(
                    "rbac.authorization.k8s.io", "ClusterRole", "muster-podgroup-viewer")
                .addNewSubject()
                .withKind("User")
                .withApiGroup("rbac.authorization.k8s.io")
                .withName("red")
                .endSubject()
                .build())
        .create();
    STAGE.cluster().create(gpuPod("runs", 8));
    STAGE.cluster().awaitRunning("runs");
    STAGE.gangs().declare("wide", 2, Map.of("muster.dev/topology-required", HOSTILE));
    STAGE.gangs().createMember("wide", 0, 8);
    STAGE.gangs().createMember("wide", 1, 8);
    var hidden = gpuPod("hidden-gang", 8).editMetadata().withNamespace("secret").endMetadata();
    admin.resource(hidden.build()).create();
    await("all are seen")
        .atMost(TestCluster.WAIT)
        .until(() -> {
          String page = STAGE.page("/api/v1/gangs");
          return page.contains("hidden-gang") && page.contains("wide");
        });
  }
}
