package dev.muster.server.http.stream;

import dev.muster.core.state.State;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.access.PageView;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The open streams of changes. Once a second the newest image is compared with the one before, on
/// a thread of its own, and each stream gets what its caller may know.
///
/// The memory of a stream is bounded: what a caller has not read waits in the connection, and if
/// that is full when the next message comes, the connection is closed.
public final class ChangeStreams implements AutoCloseable {
  /// The media type of a stream.
  public static final String TYPE = "text/event-stream";

  /// The version of an image that no caller can know.
  static final long UNKNOWN = -1;

  /// The most open streams. One more ends one of the address with most streams. If that is its own
  /// address, it is refused, and its caller has to ask for lists.
  static final int MOST = 200;

  private static final Logger log = LoggerFactory.getLogger(ChangeStreams.class);

  /// A name for the versions of this process: those of another one mean nothing here.
  private final String process = Long.toHexString(ThreadLocalRandom.current().nextLong());

  private final Supplier<State> image;
  private final ChangeLog changes;
  private final OpenStreams<ChangeStream> open = new OpenStreams<>(MOST);
  private final ScheduledExecutorService ticks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("muster-changes").daemon().factory());

  /// Asks again what a caller may see, from a thread of its stream, and answers there.
  @FunctionalInterface
  public interface Review {
    void decide(Consumer<PageAccess.Answer> answer);
  }

  /// Creates a list without streams.
  ///
  /// @param image newest published image
  public ChangeStreams(Supplier<State> image) {
    this.image = image;
    this.changes = new ChangeLog(image.get());
  }

  /// Begins to look for changes once a second.
  public void start() {
    var _ = ticks.scheduleWithFixedDelay(this::guarded, 1, 1, TimeUnit.SECONDS);
  }

  private void guarded() {
    try {
      tick(System.nanoTime());
    } catch (RuntimeException bug) {
      log.error("The stream of changes failed", bug);
    }
  }

  /// Begins the answer to a request of the current thread.
  ///
  /// @param address address of the caller, without port
  /// @param granted what the caller may see
  /// @param review asks this again, as rights can end
  /// @return false if too many streams of the address are open; nothing was answered then
  public boolean open(
      RoutingContext ctx, String address, PageAccess.Granted granted, Review review) {
    ChangeStream stream = new ChangeStream(ctx, granted, review, System.nanoTime());
    OpenStreams.Added<ChangeStream> added = open.add(address, stream);
    added.ended().ifPresent(ChangeStream::end);
    if (!added.isOpen()) {
      return false;
    }
    ctx.addEndHandler(_ -> open.remove(stream));
    long newest = changes.version();
    long known = known(ctx);
    if (changes.isKnown(known)) {
      stream.begin(known, "\n");
    } else {
      stream.begin(newest, message(newest, "read", "{\"version\":%d}".formatted(newest)));
    }
    return true;
  }

  /// Returns the version of the image that a caller who comes back knows.
  private long known(RoutingContext ctx) {
    String last = ctx.request().getHeader("Last-Event-ID");
    return last == null || !last.matches(process + "-\\d{1,18}")
        ? UNKNOWN
        : Long.parseLong(last.substring(process.length() + 1));
  }

  /// Looks for changes, and tells all streams.
  ///
  /// @param now nanoseconds of a clock
  void tick(long now) {
    changes.note(image.get());
    long newest = changes.version();
    Map<String, String> worded = new HashMap<>();
    for (ChangeStream stream : open.all()) {
      if (stream.isOver()) {
        open.remove(stream);
        continue;
      }
      long since = stream.version();
      PageView view = stream.view();
      String message =
          worded.computeIfAbsent(since + " " + view.key(), _ -> message(since, newest, view));
      stream.tick(now, since, newest, message);
    }
  }

  private String message(long since, long newest, PageView view) {
    Optional<Change> change = changes.since(since);
    if (change.isEmpty()) {
      return message(newest, "read", "{\"version\":%d}".formatted(newest));
    }
    return change.get().isEmpty() ? "" : message(newest, "changed", change.get().seenBy(view));
  }

  private String message(long version, String event, String data) {
    return "id: %s-%d\nevent: %s\ndata: %s\n\n".formatted(process, version, event, data);
  }

  /// Returns the newest image that callers were told of. No caller who was told of a change may get
  /// an older one.
  public State told() {
    return changes.image();
  }

  /// Returns the number of open streams.
  int size() {
    return open.size();
  }

  /// Ends all streams.
  @Override
  public void close() {
    ticks.shutdownNow();
    open.all().forEach(ChangeStream::end);
  }
}
