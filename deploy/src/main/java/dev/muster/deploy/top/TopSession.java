package dev.muster.deploy.top;

import dev.muster.deploy.client.PageProblem;
import dev.muster.deploy.client.PageSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// One user at the live screen: keys, windows and new pages come in, screens go out.
///
/// Keys and pages are read on threads of their own, so the screen obeys also while the server does
/// not answer.
final class TopSession {
  /// The exit code of a program that was ended with Ctrl-C.
  static final int INTERRUPTED = 130;

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final TopTerminal terminal;
  private final PageSource source;
  private final String filters;
  private final Duration interval;
  private final boolean colours;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final BlockingQueue<Wish> wishes = new LinkedBlockingQueue<>();

  private TopPages pages;
  private TopState state = TopState.FIRST;
  private Optional<String> note = Optional.empty();
  private Optional<Instant> silentSince = Optional.empty();

  /// What happened.
  private sealed interface Event {
    record Pressed(TopKey key) implements Event {}

    record Resized() implements Event {}

    record Interrupted() implements Event {}

    record Read(TopPages pages) implements Event {}

    record Refused(RuntimeException problem) implements Event {}
  }

  /// What is to be read.
  private record Wish(TopState state, int rows) {}

  /// @param first pages with which the screen begins
  /// @param filters filters of gangs, each after a `&`
  /// @param interval time between two readings
  TopSession(
      TopTerminal terminal,
      PageSource source,
      TopPages first,
      String filters,
      Duration interval,
      boolean colours) {
    this.terminal = terminal;
    this.source = source;
    this.pages = first;
    this.filters = filters;
    this.interval = interval;
    this.colours = colours;
  }

  /// Shows the screen until the user ends it, and returns the exit code.
  ///
  /// @throws PageProblem if the caller may not read the pages any more
  int run() throws InterruptedException {
    terminal.listen(
        () -> events.add(new Event.Resized()), () -> events.add(new Event.Interrupted()));
    Thread.ofPlatform().daemon().name("muster-top-keys").start(this::readKeys);
    Thread.ofPlatform().daemon().name("muster-top-pages").start(this::readPages);
    wish();
    while (true) {
      terminal.draw(
          new TopScreen(pages, state, note, filters, colours)
              .lines(terminal.width(), terminal.height()));
      switch (events.take()) {
        case Event.Pressed(TopKey key) when key == TopKey.QUIT -> {
          return 0;
        }
        case Event.Interrupted _ -> {
          return INTERRUPTED;
        }
        case Event.Pressed(TopKey key) -> show(state.after(key, rows(), pages.total()));
        case Event.Resized _ -> wish();
        case Event.Read(TopPages read) -> take(read);
        case Event.Refused(PageProblem problem) when problem.isPassing() -> keep(problem);
        case Event.Refused(RuntimeException problem) -> throw problem;
      }
    }
  }

  private int rows() {
    return TopScreen.rows(terminal.height());
  }

  private void show(TopState next) {
    if (!next.equals(state)) {
      state = next;
      wish();
    }
  }

  private void take(TopPages read) {
    note = Optional.empty();
    silentSince = Optional.empty();
    pages = read;
    if (read.state().view().equals(state.view())) {
      show(state.within(rows(), read.total()));
    }
  }

  private void keep(PageProblem problem) {
    Instant since = silentSince.orElseGet(Instant::now);
    silentSince = Optional.of(since);
    note =
        Optional.of("No answer since %s. %s".formatted(CLOCK.format(since), problem.getMessage()));
  }

  private void wish() {
    wishes.add(new Wish(state, rows()));
  }

  private void readKeys() {
    try {
      TopKey key;
      do {
        key = terminal.key();
        events.add(new Event.Pressed(key));
      } while (key != TopKey.QUIT);
    } catch (IOException _) {
      events.add(new Event.Pressed(TopKey.QUIT)); // the terminal is gone
    }
  }

  /// Reads the newest wish at once, and again after each interval.
  private void readPages() {
    try {
      Wish wish = wishes.take();
      while (true) {
        for (Wish newer = wishes.poll(); newer != null; newer = wishes.poll()) {
          wish = newer;
        }
        read(wish);
        Wish next = wishes.poll(interval.toMillis(), TimeUnit.MILLISECONDS);
        wish = next == null ? wish : next;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void read(Wish wish) {
    try {
      events.add(new Event.Read(TopPages.read(source, wish.state(), wish.rows(), filters)));
    } catch (RuntimeException problem) {
      events.add(new Event.Refused(problem));
    }
  }
}
