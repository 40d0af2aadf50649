package dev.muster.deploy.top;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.AttributedString;
import org.jline.utils.Curses;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

/// The terminal of the process, taken as a whole screen. However the process ends, except by
/// `SIGKILL`, the terminal is as it was.
///
/// JLine's provider `exec` is used. It calls `stty` and needs no native library, so the JVM has
/// nothing to warn of.
final class TopTerminal implements AutoCloseable {
  private static final char ESCAPE = '\u001b';

  /// Milliseconds within which the rest of an escape sequence arrives, also over a slow line.
  private static final long REST = 100;

  private static final int LONGEST = 8;

  private final Terminal terminal;
  private final Display display;
  private final Attributes before;
  private final byte[] leaving;
  private final Thread atExit = new Thread(this::leave, "muster-top-restore");
  private volatile Size size;
  private Size drawn = new Size();
  private boolean left;

  private TopTerminal(Terminal terminal) {
    this.terminal = terminal;
    this.display = new Display(terminal, true);
    this.leaving =
        (sequence(Capability.exit_attribute_mode)
                + sequence(Capability.exit_ca_mode)
                + sequence(Capability.cursor_normal))
            .getBytes(StandardCharsets.US_ASCII);
    this.size = terminal.getSize();
    Runtime.getRuntime().addShutdownHook(atExit);
    this.before = terminal.enterRawMode();
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.cursor_invisible);
    terminal.flush();
  }

  /// True if a person sees what this process prints, and can press keys.
  static boolean isPresent() {
    return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent()
        && !"dumb".equals(System.getenv("TERM"));
  }

  /// Takes the terminal.
  ///
  /// @throws IOException if there is none
  static TopTerminal open() throws IOException {
    return new TopTerminal(
        TerminalBuilder.builder()
            .system(true)
            .dumb(false)
            .provider("exec")
            .nativeSignals(true)
            .signalHandler(Terminal.SignalHandler.SIG_IGN)
            .build());
  }

  /// Calls back on a thread of its own.
  ///
  /// @param resized after the window has another size
  /// @param interrupted after Ctrl-C
  void listen(Runnable resized, Runnable interrupted) {
    terminal.handle(
        Signal.WINCH,
        _ -> {
          size = terminal.getSize();
          resized.run();
        });
    terminal.handle(Signal.INT, _ -> interrupted.run());
  }

  private String sequence(Capability capability) {
    return Optional.ofNullable(terminal.getStringCapability(capability))
        .map(Curses::tputs)
        .orElse("");
  }

  int width() {
    return size.getColumns() > 0 ? size.getColumns() : 80;
  }

  int height() {
    return size.getRows() > 0 ? size.getRows() : 24;
  }

  /// Draws the screen; only what differs from the last one is sent.
  ///
  /// @param lines lines of at most the width, at most as many as the height
  synchronized void draw(List<AttributedString> lines) {
    if (!left) {
      if (!size.equals(drawn)) { // the terminal itself has moved what was drawn
        drawn = size;
        display.resize(height(), width());
        display.clear();
      }
      display.update(new ArrayList<>(lines), 0); // JLine adds to the list
    }
  }

  /// Waits for a key. Returns [TopKey#QUIT] at the end of the input.
  TopKey key() throws IOException {
    NonBlockingReader reader = terminal.reader();
    int first = reader.read();
    if (first < 0) {
      return TopKey.QUIT;
    }
    StringBuilder sent = new StringBuilder().append((char) first);
    while (isOpen(sent)) {
      int next = reader.read(REST);
      if (next < 0) {
        break;
      }
      sent.append((char) next);
    }
    return TopKey.of(sent.toString());
  }

  /// True if an escape sequence has more characters.
  private static boolean isOpen(CharSequence sent) {
    int length = sent.length();
    if (sent.charAt(0) != ESCAPE || length >= LONGEST) {
      return false;
    }
    char last = sent.charAt(length - 1);
    return length == 1 || (length == 2 ? last == '[' || last == 'O' : last < '@');
  }

  private synchronized void leave() {
    if (!left) {
      left = true;
      try (var out = new FileOutputStream(FileDescriptor.out)) {
        out.write(leaving); // not through JLine, which may be closed already
      } catch (IOException _) {
        // The terminal is gone, so nothing has to be put right.
      }
    }
  }

  @Override
  public void close() throws IOException {
    leave();
    Runtime.getRuntime().removeShutdownHook(atExit);
    terminal.setAttributes(before);
    terminal.close();
  }
}
