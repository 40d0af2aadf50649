package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// Replaces an older build by this one while gangs start, and back, again and again. Each second
/// time the process is killed instead of stopped.
///
/// ```
/// deploy/e2e.sh -De2e=UpgradeBench -Dbench.before=$PWD/../older/deploy/target/muster
/// ```
///
/// `-Dbench.laps` is the number of replacements (4), `-Dbench.seconds` the time between them (30).
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 2, unit = TimeUnit.HOURS)
class UpgradeBench {
  private static final int LAPS = Integer.getInteger("bench.laps", 4);
  private static final Duration SPELL = Duration.ofSeconds(Integer.getInteger("bench.seconds", 30));
  private static final Duration MOST_HALF = Duration.ofSeconds(60);

  /// The folder of the older build, as Maven leaves it in `deploy/target/muster`.
  private static final Path BEFORE = Path.of(System.getProperty("bench.before", "none"));

  @RegisterExtension
  static final TestStage STAGE = TestStage.asShipped().with(LongRun.configuration("", ""));

  @Test
  void upgrade_and_back_while_gangs_start() throws IOException, InterruptedException {
    ChildProcess older = older();
    try (LongRun run = new LongRun(STAGE, "upgrade", MOST_HALF)) {
      run.goOn(SPELL);
      ChildProcess now = STAGE.process();
      for (int lap = 0; lap < LAPS; lap++) {
        ChildProcess next = lap % 2 == 0 ? older : STAGE.process();
        boolean kill = lap % 4 >= 2;
        if (kill) {
          now.kill();
        } else {
          now.stop();
        }
        long from = System.nanoTime();
        next.start();
        do {
          run.goOn(Duration.ofMillis(200));
        } while (!STAGE.isReady());
        run.say(
            "%s by %s: ready after %d ms"
                .formatted(
                    kill ? "killed, followed" : "stopped, followed",
                    next == older ? "the older build" : "this build",
                    (System.nanoTime() - from) / 1_000_000));
        run.goOn(SPELL);
        now = next;
      }
      assertThat(run.end().violations()).isEmpty();
    } finally {
      older.kill();
    }
  }

  /// The older build with the configuration of this one. Fields that it does not know are left out.
  private static ChildProcess older() throws IOException, InterruptedException {
    Path launcher = BEFORE.resolve("muster");
    Path current = STAGE.files().folder().resolve("muster.yaml");
    String text = Files.readString(current);
    Path old = current.resolveSibling("muster-before.yaml");
    Files.writeString(old, text);
    if (!accepts(launcher, old)) {
      Files.writeString(old, text.replaceAll("(?m)^\\s+(probePort|clientAuthority):.*\\R", ""));
    }
    return STAGE
        .files()
        .muster(
            launcher,
            "muster-0",
            STAGE.plane().kubeconfig(STAGE.plane().serviceAccountToken("muster-system", "muster")),
            old,
            STAGE.plane().logs().resolve("muster-before.log"),
            "-Xmx512m");
  }

  private static boolean accepts(Path launcher, Path configuration)
      throws IOException, InterruptedException {
    return new ProcessBuilder(
                launcher.toString(), "serve", "--check", "--config", configuration.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }
}
