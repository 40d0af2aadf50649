package dev.muster.deploy.e2e;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/// Processor time that this JVM and its children have used so far.
///
/// @param millis by process: `etcd`, `kube-scheduler`, ..., `Muster`, `this benchmark`
record CpuTime(Map<String, Long> millis) {

  static CpuTime now() {
    var millis = new TreeMap<String, Long>();
    millis.put("this benchmark", of(ProcessHandle.current()));
    ProcessHandle.current().children().forEach(child -> millis.put(name(child), of(child)));
    return new CpuTime(millis);
  }

  private static long of(ProcessHandle process) {
    return process.info().totalCpuDuration().map(Duration::toMillis).orElse(0L);
  }

  private static String name(ProcessHandle process) {
    String command = process.info().command().orElse("?");
    String[] arguments = process.info().arguments().orElse(new String[0]);
    return command.endsWith("java") || arguments.length == 0 ? "Muster" : arguments[0];
  }

  /// Returns the time used since an earlier measurement.
  CpuTime since(CpuTime earlier) {
    var used = new TreeMap<String, Long>();
    millis.forEach((name, ms) -> used.put(name, ms - earlier.millis.getOrDefault(name, 0L)));
    return new CpuTime(used);
  }

  CpuTime plus(CpuTime other) {
    var sum = new TreeMap<>(millis);
    other.millis.forEach((name, ms) -> sum.merge(name, ms, Long::sum));
    return new CpuTime(sum);
  }
}
