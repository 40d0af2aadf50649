package dev.muster.deploy.top;

import dev.muster.deploy.client.FilterOptions;
import dev.muster.deploy.client.PageSource;
import dev.muster.deploy.client.ServerOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `muster top`: the line, running gangs, nodes and queues on a live screen, as top and k9s have
/// it.
@Command(
    name = "top",
    description = {
      "Shows waiting gangs, running gangs, nodes and queues on a live screen.",
      "Keys: Tab for the next list, arrows and Page Up or Down to scroll, s to sort, ? for help, q"
          + " to end."
    },
    mixinStandardHelpOptions = true)
public final class TopCommand implements Callable<Integer> {
  private static final int LONGEST = 3_600;
  private static final int FILE_WIDTH = 120;
  private static final int FILE_ROWS = 40;

  @Mixin private ServerOptions server = new ServerOptions();

  @Mixin private FilterOptions chosen = new FilterOptions();

  @Option(
      names = "--interval",
      defaultValue = "2",
      paramLabel = "SECONDS",
      description = "Seconds between two looks, 1 to 3600. Default: ${DEFAULT-VALUE}.")
  private int interval = 2;

  @Option(
      names = "--once",
      description = "Prints the first screen as text and ends, for a file or a pipe.")
  private boolean once;

  @Spec private CommandSpec spec = CommandSpec.create(); // replaced by picocli

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (interval < 1 || interval > LONGEST) {
      throw new ParameterException(
          spec.commandLine(),
          "The interval %d (--interval) must be 1 to %d seconds.".formatted(interval, LONGEST));
    }
    if (!once && !TopTerminal.isPresent()) {
      throw new ParameterException(
          spec.commandLine(),
          "A live screen needs a terminal. For a file or a pipe there are --once and muster queue"
              + " -w.");
    }
    try (PageSource pages = server.open()) {
      String filters = chosen.query(pages);
      return once ? print(pages, filters) : show(pages, filters);
    }
  }

  private int print(PageSource pages, String filters) {
    TopPages read = TopPages.read(pages, TopState.FIRST, FILE_ROWS, filters);
    PrintWriter out = spec.commandLine().getOut();
    new TopScreen(read, TopState.FIRST, Optional.empty(), filters, false)
        .text(FILE_WIDTH)
        .forEach(out::println);
    out.flush();
    return 0;
  }

  private int show(PageSource pages, String filters) throws IOException, InterruptedException {
    // What is refused is said before the screen is taken.
    TopPages first = TopPages.read(pages, TopState.FIRST, FILE_ROWS, filters);
    String wish = System.getenv("NO_COLOR");
    try (TopTerminal terminal = TopTerminal.open()) {
      return new TopSession(
              terminal,
              pages,
              first,
              filters,
              Duration.ofSeconds(interval),
              wish == null || wish.isEmpty())
          .run();
    }
  }
}
