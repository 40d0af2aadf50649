package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// `muster top` in a real terminal, which the program `script` of util-linux makes, and which is as
/// before at the end, whatever the end is.
class TopInTerminalTest {
  private static final Path SCRIPT = Path.of("/usr/bin/script");
  private static final Duration LIMIT = Duration.ofSeconds(50);
  private static final String WHOLE = "\u001b[?1049h";
  private static final String BACK = "\u001b[?1049l";

  private final StringBuilder said = new StringBuilder();
  private final ClientScene scene = new ClientScene();
  private final Process terminal;
  private boolean closed;

  TopInTerminalTest() throws IOException {
    // Ctrl-C goes to the shell too, which must live on to print the code. A JVM that begins with
    // Ctrl-C ignored never hears of it.
    String command =
        "trap '' INT; stty cols 100 rows 30; env --default-signal=INT %s -XX:TieredStopAtLevel=1 -cp %s %s top --interval 1 --server %s; echo code=$?; stty -a; echo end"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                Muster.class.getName(),
                scene.address());
    var builder = new ProcessBuilder(SCRIPT.toString(), "-qfec", command, "/dev/null");
    builder.environment().put("TERM", "xterm");
    builder.environment().put("SHELL", "/bin/sh"); // the shell that "script" starts
    terminal = builder.redirectErrorStream(true).start();
    Thread.ofVirtual().start(this::read);
    awaitText("team-b");
  }

  @BeforeAll
  static void needs_script() {
    assumeTrue(Files.isExecutable(SCRIPT), "There is no program \"script\" on this machine.");
  }

  @AfterEach
  void end() {
    terminal.descendants().forEach(ProcessHandle::destroyForcibly);
    terminal.destroyForcibly();
    if (!closed) {
      scene.close();
    }
  }

  private void read() {
    try (InputStream out = terminal.getInputStream()) {
      byte[] buffer = new byte[8_192];
      for (int read = out.read(buffer); read >= 0; read = out.read(buffer)) {
        synchronized (said) {
          said.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
        }
      }
    } catch (IOException _) {
      // The terminal was closed.
    }
  }

  private String shown() {
    synchronized (said) {
      return said.toString();
    }
  }

  private void awaitText(String text) {
    await(text).atMost(LIMIT).until(() -> shown().contains(text));
  }

  private void press(String keys) {
    try {
      terminal.getOutputStream().write(keys.getBytes(StandardCharsets.US_ASCII));
      terminal.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertRestored(int code) throws InterruptedException {
    assertThat(terminal.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    awaitText("\nend");
    String shown = shown();
    assertThat(shown)
        .startsWith(WHOLE) // so the JVM has warned of nothing before
        .contains("code=" + code, "isig icanon", " echo ");
    assertThat(shown.indexOf(BACK)).isPositive().isLessThan(shown.indexOf("code="));
    assertThat(shown.indexOf("\u001b[?25h", shown.indexOf(BACK) - 8)).isPositive();
  }

  @Test
  void key_q_ends_it() throws InterruptedException {
    press("q");
    assertRestored(0);
  }

  @Test
  void control_c_ends_it_as_interrupted() throws InterruptedException {
    press("\u0003");
    assertRestored(130);
  }

  @Test
  void kill_leaves_the_terminal_as_it_was() throws InterruptedException {
    terminal
        .descendants()
        .filter(each -> each.info().command().orElse("").endsWith("java"))
        .forEach(ProcessHandle::destroy);
    assertRestored(143);
  }

  @Test
  void lost_server_is_told_and_keys_still_work() throws InterruptedException {
    scene.close();
    closed = true;
    awaitText("No answer since");
    press("?");
    awaitText("Any key goes back.");
    press("xq");
    assertRestored(0);
  }
}
