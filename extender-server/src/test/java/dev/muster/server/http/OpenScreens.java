package dev.muster.server.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Users who look at a server until its standard input ends, as browsers and commands do it.
///
/// They have a process of their own, of lowest priority: real users have machines of their own.
final class OpenScreens {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int POLL = 500; // as live.js
  private static final int SOONEST = 2_000;
  private static final int LATEST = 30_000;
  private static final int LOOK = 2_000; // as the commands
  private static final Pattern NEXT = Pattern.compile("\"next\":\"([^\"]+)\"");

  /// One user.
  @FunctionalInterface
  private interface User {
    void look(OpenScreens screens, int number) throws IOException, InterruptedException;
  }

  /// The kinds of users.
  enum Kind {
    CALM("nobody", (_, _) -> Thread.sleep(PATIENCE)),
    BROWSER("screens in browsers", OpenScreens::browse),
    TOP("muster top", OpenScreens::top),
    WATCH("whole lists, -w", OpenScreens::watch);

    final String title;

    @SuppressWarnings("ImmutableEnumChecker") // a function
    private final User user;

    Kind(String title, User user) {
      this.title = title;
      this.user = user;
    }
  }

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String address;
  private final String gang;
  private final TurnTaking.Call looks = new TurnTaking.Call("looks", List.of());
  private final AtomicInteger failed = new AtomicInteger();

  private OpenScreens(String address, String gang) {
    this.address = address;
    this.gang = gang;
  }

  /// Looks until the standard input ends, then prints how many looks were made and failed, and how
  /// long they took.
  ///
  /// @param args kind, number of users, address of the server, and a gang, NAMESPACE/NAME
  public static void main(String[] args) throws Exception {
    OpenScreens screens = new OpenScreens(args[2], args[3]);
    int users = Integer.parseInt(args[1]);
    for (int i = 0; i < users; i++) {
      int number = i;
      Thread.startVirtualThread(() -> screens.stay(Kind.valueOf(args[0]).user, number, users));
    }
    while (System.in.read() == '\n') {
      screens.looks.forget(); // what follows is measured
      screens.failed.set(0);
    }
    int count = screens.looks.count();
    System.out.printf(
        Locale.ROOT,
        "%7d %6d %8d %8d%n",
        count,
        screens.failed.get(),
        count == 0 ? 0 : screens.looks.nanos(50) / 1_000_000,
        count == 0 ? 0 : screens.looks.nanos(99) / 1_000_000);
    System.exit(0); // the users never end
  }

  private void stay(User user, int number, int users) {
    HostileConnections.pause((long) SOONEST * number / users); // not all at once
    while (!Thread.currentThread().isInterrupted()) {
      try {
        user.look(this, number);
      } catch (IOException _) {
        failed.incrementAndGet();
        HostileConnections.pause(LOOK);
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  /// A screen with its stream of changes. It looks again as live.js does.
  private static void browse(OpenScreens screens, int number)
      throws IOException, InterruptedException {
    List<String> paths =
        List.of(
            "/", "/queue", "/gangs", "/share", "/usage", "/preemptions", "/gangs/" + screens.gang);
    String path = paths.get(number % paths.size());
    AtomicBoolean changed = new AtomicBoolean();
    Semaphore streams = new Semaphore(0);
    Thread.startVirtualThread(() -> screens.listen(changed, streams));
    streams.acquire();
    String tag = "";
    long looked = 0;
    while (streams.availablePermits() == 0) {
      long waited = (System.nanoTime() - looked) / 1_000_000;
      if (looked == 0 || waited >= (changed.get() ? SOONEST : LATEST)) {
        changed.set(false);
        looked = System.nanoTime();
        HttpResponse<Void> answer = screens.get(path, tag, BodyHandlers.discarding());
        tag = answer.headers().firstValue("ETag").orElse("");
      }
      Thread.sleep(POLL);
    }
    throw new IOException("The stream has ended.");
  }

  /// Reads the stream of changes.
  ///
  /// @param streams gets a permit when the stream begins, and another when it ends
  private void listen(AtomicBoolean changed, Semaphore streams) {
    try {
      HttpResponse<Stream<String>> stream =
          http.send(request("/changes").build(), BodyHandlers.ofLines());
      streams.release();
      stream
          .body()
          .filter(line -> line.equals("event: changed") || line.equals("event: read"))
          .forEach(_ -> changed.set(true));
    } catch (IOException | InterruptedException | RuntimeException _) {
      streams.release();
    }
    streams.release();
  }

  /// What `muster top` reads for a terminal of 40 rows.
  private static void top(OpenScreens screens, int number)
      throws IOException, InterruptedException {
    for (String path :
        List.of(
            "/waiting?limit=40&offset=0&sort=position",
            "/gangs?verdict=Runs,Starts&limit=1&offset=0&sort=gpus",
            "/nodes?limit=1&offset=0&sort=name",
            "/server",
            "/waiting?limit=1&sort=wait")) {
      screens.get("/api/v1" + path, "", BodyHandlers.discarding());
    }
    Thread.sleep(LOOK);
  }

  /// What `muster queue -w`, `muster gangs -w` and `muster nodes -w` read.
  private static void watch(OpenScreens screens, int number)
      throws IOException, InterruptedException {
    switch (number % 3) {
      case 0 -> {
        String first = "/api/v1/waiting?limit=500";
        String path = first;
        while (!path.isEmpty()) {
          Matcher next = NEXT.matcher(screens.get(path, "", BodyHandlers.ofString()).body());
          path = next.find() ? first + "&after=" + next.group(1) : "";
        }
      }
      case 1 -> screens.get("/api/v1/gangs", "", BodyHandlers.discarding());
      default -> screens.get("/api/v1/nodes", "", BodyHandlers.discarding());
    }
    Thread.sleep(LOOK);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(address + path));
  }

  private <T> HttpResponse<T> get(String path, String tag, BodyHandler<T> body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path).timeout(PATIENCE);
    if (!tag.isEmpty()) {
      request.header("If-None-Match", tag);
    }
    long start = System.nanoTime();
    HttpResponse<T> answer = http.send(request.build(), body);
    looks.took(System.nanoTime() - start);
    if (answer.statusCode() != 200 && answer.statusCode() != 304) {
      throw new IOException("status " + answer.statusCode());
    }
    return answer;
  }
}
