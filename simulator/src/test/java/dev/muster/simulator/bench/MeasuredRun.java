package dev.muster.simulator.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.muster.simulator.cli.Simulate;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/// The cost of a `muster simulate` command in its own JVM. The JVM has the options of `./muster`.
///
/// @param wall seconds
/// @param cpu seconds of the processors, the compiler's and the collector's included
/// @param heap MiB that were in use at most, garbage included
record MeasuredRun(double wall, double cpu, double heap) {
  /// Options of `./muster`. The tests run in the folder of their module.
  private static final String OPTIONS = "@../deploy/src/main/dist/lib/java.options";

  private static final String RUN = "@../deploy/src/main/dist/lib/simulate-run.options";

  private static final String MARK = "measured";
  private static final String NEXT = "--next";

  /// Runs commands one after the other in one JVM.
  ///
  /// @param java how it is started: `java` with options, and what stands before it
  static List<MeasuredRun> of(List<String> java, List<List<String>> commands)
      throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(java);
    boolean runs = commands.getFirst().getFirst().equals("run");
    line.addAll(List.of(OPTIONS, runs ? RUN : "-XX:+UseG1GC")); // as ./muster does
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), MeasuredRun.class.getName()));
    commands.forEach(command -> {
      line.addAll(command);
      line.add(NEXT);
    });
    Path out = Files.createTempFile("simulation", ".txt");
    try {
      Process process =
          new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(out.toFile()).start();
      int code = process.waitFor();
      List<MeasuredRun> measured =
          Files.readAllLines(out).stream().flatMap(MeasuredRun::read).toList();
      if (code != 0 || measured.size() != commands.size()) {
        throw new IllegalStateException(
            "%s ended with %d:%n%s".formatted(line, code, Files.readString(out)));
      }
      return measured;
    } finally {
      Files.delete(out);
    }
  }

  private static Stream<MeasuredRun> read(String line) {
    String[] words = line.split(" ", -1);
    return words[0].equals(MARK)
        ? Stream.of(
            new MeasuredRun(
                Double.parseDouble(words[1]),
                Double.parseDouble(words[2]),
                Double.parseDouble(words[3])))
        : Stream.empty();
  }

  /// The JVM that is measured: the first command's time has its start in it.
  public static void main(String[] args) {
    List<String> rest = Arrays.asList(args);
    double wall = 0;
    double cpu = 0;
    while (!rest.isEmpty()) {
      int end = rest.indexOf(NEXT);
      pools().forEach(MemoryPoolMXBean::resetPeakUsage);
      CommandLine line = Simulate.commandLine().setCaseInsensitiveEnumValuesAllowed(true);
      int code = line.execute(rest.subList(0, end).toArray(String[]::new));
      if (code != 0) {
        System.exit(code);
      }
      double heap = pools().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum() / 1048576.0;
      double wallNow = ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
      double cpuNow =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
              / 1e9;
      System.out.println("\n" + MARK + " " + (wallNow - wall) + " " + (cpuNow - cpu) + " " + heap);
      wall = wallNow;
      cpu = cpuNow;
      rest = rest.subList(end + 1, rest.size());
    }
  }

  private static Stream<MemoryPoolMXBean> pools() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP);
  }
}
