package dev.muster.deploy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Resources that a JVM holds after a full garbage collection.
///
/// @param instances live objects, by class
/// @param bytes of all live objects
/// @param threads of the process, the JVM's own among them
/// @param descriptors open files and connections
record Footprint(Map<String, Long> instances, long bytes, long threads, long descriptors) {

  static Footprint of(long pid) {
    Path process = Path.of("/proc", Long.toString(pid));
    try (Stream<String> histogram = histogram(pid)) {
      var instances = new TreeMap<String, Long>();
      long bytes =
          histogram
              .map(line -> line.strip().split("\\s+"))
              .filter(columns -> columns.length >= 4 && columns[0].endsWith(":"))
              .mapToLong(columns -> {
                instances.merge(columns[3], Long.parseLong(columns[1]), Long::sum);
                return Long.parseLong(columns[2]);
              })
              .sum();
      return new Footprint(
          instances, bytes, count(process.resolve("task")), count(process.resolve("fd")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the largest memory that the process ever had, as `VmHWM: 818000 kB`.
  static String peak(long pid) throws IOException {
    Path status = Path.of("/proc", Long.toString(pid), "status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmHWM"))
        .findFirst()
        .orElse("")
        .replaceAll("\\s+", " ");
  }

  /// The lines of jcmd, which collects the garbage before it counts.
  private static Stream<String> histogram(long pid) throws IOException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    return new ProcessBuilder(jcmd, Long.toString(pid), "GC.class_histogram")
        .start()
        .inputReader()
        .lines();
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    }
  }
}
