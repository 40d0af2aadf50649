package dev.muster.server.http;

import com.sun.management.OperatingSystemMXBean;
import dev.muster.core.cluster.Event;
import dev.muster.core.engine.Engine;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.kit.BusyCluster;
import dev.muster.core.kit.BusyCluster.Room;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/// The laps of [OpenScreensBench]: one server, an engine that decides, and users in a process of
/// their own.
final class OpenScreensLaps {
  private static final double SCALE = Double.parseDouble(System.getProperty("bench.scale", "1"));
  private static final int NODES = 10 * (int) Math.round(500 * SCALE);
  private static final int GANGS = (int) Math.round(10_000 * SCALE);
  private static final int USERS = Integer.getInteger("bench.users", 50);
  private static final int LAPS = Integer.getInteger("bench.laps", 5);

  /// Kinds of users to measure beside nobody: those whose name contains this text.
  private static final String ONLY = System.getProperty("bench.only", "");

  private static final Duration MEASURE =
      Duration.ofSeconds(Integer.getInteger("bench.seconds", 20));
  private static final Duration SETTLE = Duration.ofSeconds(5);
  private static final Duration BETWEEN_STEPS = Duration.ofNanos(1_000_000_000 / 15);
  private static final Duration BETWEEN_CALLS = Duration.ofMillis(20);
  private static final Engine ENGINE = new Engine(Policies.DEFAULT);

  private final AtomicReference<State> image;
  private final AtomicInteger steps = new AtomicInteger();
  private final Map<OpenScreens.Kind, TurnTaking.Call> sums = new EnumMap<>(OpenScreens.Kind.class);
  private final Map<OpenScreens.Kind, Integer> failures = new EnumMap<>(OpenScreens.Kind.class);
  private final byte[] call;
  private final String gang;

  /// Builds the cluster.
  OpenScreensLaps() {
    AtomicInteger running = new AtomicInteger();
    new BusyCluster(NODES * 8, 0, Room.SCATTERED, 7)
        .tell(event -> running.addAndGet(event instanceof Event.GangSeen ? 1 : 0));
    BusyCluster cluster = new BusyCluster(NODES * 8, GANGS - running.get(), Room.SCATTERED, 7);
    image = new AtomicReference<>(cluster.state(ENGINE));
    System.out.printf(
        "Java %s, %d processors; %,d nodes, %,d gangs run, %,d wait%n",
        Runtime.version(),
        Runtime.getRuntime().availableProcessors(),
        NODES,
        running.get(),
        cluster.waiting());
    GangId waiting = image.get().waiting().classes().iterator().next().gangs().iterator().next();
    gang = "%s/%s".formatted(waiting.namespace(), waiting.name());
    call = filter(image.get().cluster().gang(waiting).members().iterator().next());
    Thread.ofPlatform().daemon().start(() -> decide(cluster.arrivals(200)));
  }

  /// Measures all laps.
  public static void main(String[] args) throws Exception {
    new OpenScreensLaps().laps();
  }

  private void laps() throws Exception {
    ServerMetrics metrics = new ServerMetrics(image::get);
    HttpDependencies dependencies =
        new HttpDependencies(
            image::get,
            () -> Policies.DEFAULT,
            ServerImages.SCOPE,
            new WebhookOptions(true, true, _ -> Map.of()),
            metrics,
            () -> true);
    try (HttpFront front =
        HttpFront.start(
            dependencies, new ListenOptions("127.0.0.1", 0, 16 << 20, Optional.empty()))) {
      System.out.printf(
          "%n%-20s %6s %6s %8s %8s %8s %6s %6s %5s  %7s %6s %8s %8s%n",
          "who looks",
          "calls",
          "failed",
          "p50 us",
          "p99 us",
          "max us",
          "x calm",
          "steps",
          "cores",
          "looks",
          "failed",
          "p50 ms",
          "p99 ms");
      for (int lap = 0; lap <= LAPS; lap++) {
        long calm = 0;
        for (OpenScreens.Kind kind : OpenScreens.Kind.values()) {
          if (kind == OpenScreens.Kind.CALM || kind.name().contains(ONLY)) {
            TurnTaking.Call calls = measure(front, kind, calm, lap == 0);
            calm = calm == 0 ? calls.nanos(99) : calm;
          }
        }
      }
      System.out.println("All laps but the first:");
      long calm = sum(OpenScreens.Kind.CALM).nanos(99);
      sums.forEach(
          (kind, calls) -> line(kind.title, calls, failures.getOrDefault(kind, 0), calm, ""));
    }
    metrics.close();
    System.exit(0); // the engine never ends
  }

  /// Takes a step for each event that tells of new gangs and of their end, again and again.
  private void decide(List<List<Event>> arrivals) {
    long next = System.nanoTime();
    while (true) {
      for (List<Event> arrival : arrivals) {
        for (List<Event> events : List.of(arrival, ends(arrival))) {
          for (Event event : events) {
            next = pause(next, BETWEEN_STEPS);
            image.set(ENGINE.step(image.get(), event).after());
            steps.incrementAndGet();
          }
        }
      }
    }
  }

  private static List<Event> ends(List<Event> arrival) {
    List<Event> ends = new ArrayList<>();
    for (Event event : arrival) {
      switch (event) {
        case Event.MemberSeen(_, Member member) ->
            ends.addFirst(new Event.MemberGone(BusyCluster.NOW, member.gang(), member.id()));
        case Event.GangSeen(_, var spec) ->
            ends.addLast(new Event.GangGone(BusyCluster.NOW, spec.id()));
        default -> throw new IllegalStateException("An arrival has such an event: " + event);
      }
    }
    return ends;
  }

  /// Waits for a moment, and returns the next one. Moments are never skipped.
  private static long pause(long due, Duration period) {
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    return due + period.toNanos();
  }

  /// Returns a call that names all nodes.
  private byte[] filter(Member member) {
    String names =
        StreamSupport.stream(image.get().cluster().nodes().spliterator(), false)
            .map(node -> "\"%s\"".formatted(node.id()))
            .collect(Collectors.joining(","));
    MemberId id = member.id();
    return HostileRequests.post(
        "/scheduler/filter",
        "{\"Pod\":{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":\"%s\",\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"%s\"}},\"spec\":{\"schedulerName\":\"default-scheduler\",\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":\"8\"}}}]}},\"Nodes\":null,\"NodeNames\":[%s]}"
            .formatted(id.name(), id.namespace(), id.uid(), member.gang().name(), names));
  }

  /// Measures one lap, and prints its line.
  private TurnTaking.Call measure(
      HttpFront front, OpenScreens.Kind kind, long calm, boolean isFirst) throws Exception {
    Process users = users(front, kind);
    Thread.sleep(SETTLE);
    users.getOutputStream().write('\n');
    users.getOutputStream().flush();
    int before = steps.get();
    long start = System.nanoTime();
    long used = processorTime();
    TurnTaking.Call calls = new TurnTaking.Call(kind.title, List.of());
    int failed = steady(front, isFirst ? List.of(calls) : List.of(calls, sum(kind)));
    double cores = (double) (processorTime() - used) / (System.nanoTime() - start);
    int taken = steps.get() - before;
    users.getOutputStream().close();
    String looks = new String(users.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    users.waitFor();
    if (!isFirst) {
      failures.merge(kind, failed, Integer::sum);
    }
    line(
        kind.title,
        calls,
        failed,
        calm == 0 ? calls.nanos(99) : calm,
        "%6d %5.2f  %s".formatted(taken, cores, looks.stripTrailing()));
    return calls;
  }

  /// Returns the processor time of this process in nanoseconds.
  private static long processorTime() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private TurnTaking.Call sum(OpenScreens.Kind kind) {
    return sums.computeIfAbsent(kind, _ -> new TurnTaking.Call(kind.title, List.of()));
  }

  private Process users(HttpFront front, OpenScreens.Kind kind) throws IOException {
    return new ProcessBuilder(
            "nice",
            "-n",
            "19",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            OpenScreens.class.getName(),
            kind.name(),
            Integer.toString(USERS),
            "http://127.0.0.1:%d".formatted(front.port()),
            gang)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /// Calls at the fixed rate until the time is over, and returns how many calls failed.
  private int steady(HttpFront front, List<TurnTaking.Call> took) throws IOException {
    int failed = 0;
    byte[] buffer = new byte[4 << 20];
    Socket socket = HostileConnections.open(front.port());
    long start = System.nanoTime();
    for (long due = start; due - start < MEASURE.toNanos(); ) {
      long next = pause(due, BETWEEN_CALLS);
      try {
        socket.getOutputStream().write(call);
        TurnTaking.readAnswer(socket.getInputStream(), buffer);
      } catch (IOException problem) {
        System.err.println(problem);
        failed++;
        socket.close();
        socket = HostileConnections.open(front.port());
      }
      long time = System.nanoTime() - due;
      took.forEach(each -> each.took(time));
      due = next;
    }
    socket.close();
    return failed;
  }

  private static void line(String who, TurnTaking.Call calls, int failed, long calm, String looks) {
    System.out.printf(
        Locale.ROOT,
        "%-20s %6d %6d %8d %8d %8d %6.2f %s%n",
        who,
        calls.count(),
        failed,
        calls.nanos(50) / 1_000,
        calls.nanos(99) / 1_000,
        calls.nanos(100) / 1_000,
        (double) calls.nanos(99) / calm,
        looks);
  }
}
