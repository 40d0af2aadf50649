package dev.muster.deploy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.cli.Simulate;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// The disk of the journal and the ledger becomes full, then read-only, while gangs start.
///
/// ```
/// deploy/e2e.sh -De2e=FullDiskBench
/// ```
///
/// `-Dbench.seconds` is the time in each state of the disk (40). The disk is an ext4 image of 4 MiB
/// on a loop device, which needs root. A file takes the free space; an error of the file system,
/// injected by the kernel, makes it read-only while files are open.
///
/// Not part of the tests: its name is no test's name.
@Timeout(value = 1, unit = TimeUnit.HOURS)
class FullDiskBench {
  private static final Duration SPELL = Duration.ofSeconds(Integer.getInteger("bench.seconds", 40));
  private static final Duration MOST_HALF = Duration.ofSeconds(60);
  private static final Path FOLDER = Path.of("target", "e2e-disk").toAbsolutePath();
  private static final Path IMAGE = FOLDER.resolve("disk.img");
  private static final Path DISK = FOLDER.resolve("disk");
  private static final Path JOURNAL = DISK.resolve("journal.jsonl");
  private static final Path BALLAST = DISK.resolve("ballast");
  private static final int MIBIBYTES = 4;

  @RegisterExtension static final TestStage STAGE = TestStage.asShipped().with(onDisk());

  /// Mounts the disk, and returns a configuration whose records are on it.
  private static String onDisk() {
    try {
      Files.createDirectories(DISK);
      unmount();
      try (var image = new RandomAccessFile(IMAGE.toFile(), "rw")) {
        image.setLength(0);
        image.setLength((long) MIBIBYTES << 20);
      }
      run("mkfs.ext4", "-q", "-F", IMAGE.toString());
      mount();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return LongRun.configuration(
        ", ledger: '%s'".formatted(DISK.resolve("ledger.jsonl")),
        "journal: '%s'".formatted(JOURNAL));
  }

  private static void mount() {
    run("mount", "-o", "loop,errors=remount-ro", IMAGE.toString(), DISK.toString());
  }

  /// Makes a disk writable on which nobody has a file open.
  private static void repair() {
    unmount();
    run("sh", "-c", "e2fsck -fy '%s' || [ $? = 1 ]".formatted(IMAGE)); // 1: errors were corrected
    mount();
  }

  @AfterAll
  static void unmount() {
    if (Files.isDirectory(DISK.resolve("lost+found"))) {
      run("umount", "-l", DISK.toString());
    }
  }

  private static void run(String... command) {
    try {
      int status =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(FOLDER.resolve("commands.log").toFile())
              .start()
              .waitFor();
      if (status != 0) {
        throw new IllegalStateException(List.of(command) + " ended with " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted", e);
    }
  }

  @Test
  void records_fail_and_gangs_start() throws IOException {
    try (LongRun run = new LongRun(STAGE, "full-disk", MOST_HALF)) {
      pass(run, "with space");
      fill();
      pass(run, "full");
      restart(run, "full");
      Files.delete(BALLAST);
      run.goOn(Duration.ofSeconds(65)); // It tries again after a minute.
      pass(run, "with space again");
      breakDisk();
      pass(run, "read-only");
      restart(run, "read-only");
      STAGE.killMuster();
      repair();
      STAGE.startMuster();
      pass(run, "writable again");
      assertThat(run.end().violations()).isEmpty();
      STAGE.killMuster();
      String policy = LongRun.POLICY.toString();
      assertThat(
              Simulate.commandLine().execute("replay", JOURNAL.toString(), "--preemption", policy))
          .as("the journal replays whole")
          .isZero();
    }
  }

  private static void pass(LongRun run, String disk) throws IOException {
    long before = admissions();
    run.goOn(SPELL);
    run.say(
        "%s: %d gangs admitted, journal of %d bytes"
            .formatted(disk, admissions() - before, Files.size(JOURNAL)));
    assertThat(admissions()).as("gangs start: " + disk).isGreaterThan(before);
  }

  private static void restart(LongRun run, String disk) throws IOException {
    STAGE.killMuster();
    STAGE.startMuster();
    pass(run, disk + ", after a restart");
  }

  private static void fill() {
    try (var ballast = Files.newOutputStream(BALLAST)) {
      byte[] block = new byte[512];
      while (true) {
        ballast.write(block);
      }
    } catch (IOException _) {
      // It is full.
    }
  }

  /// The kernel meets an error of the file system.
  private static void breakDisk() throws IOException {
    String device;
    try (var mounts = Files.lines(Path.of("/proc/mounts"))) {
      device =
          mounts
              .map(line -> line.split(" "))
              .filter(mount -> mount[1].equals(DISK.toString()))
              .map(mount -> Path.of(mount[0]).getFileName().toString())
              .findFirst()
              .orElseThrow();
    }
    Files.writeString(Path.of("/sys/fs/ext4", device, "trigger_fs_error"), "1");
  }

  private static long admissions() {
    return STAGE
        .page("/metrics")
        .lines()
        .filter(line -> line.startsWith("muster_decisions_total{kind=\"admit\"}"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }
}
