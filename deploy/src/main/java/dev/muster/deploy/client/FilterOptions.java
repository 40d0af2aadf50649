package dev.muster.deploy.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options that choose a namespace, a queue and a user.
public final class FilterOptions {
  @Mixin private NamespaceOptions namespaces = new NamespaceOptions();

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "NAME",
      description = "Only this queue.")
  private @Nullable String queue;

  @Option(
      names = {"-u", "--user"},
      paramLabel = "NAME",
      description = "Only this user, by the label muster.dev/user.")
  private @Nullable String user;

  /// Returns the filters as part of a query, each after a `&`.
  public String query(PageSource pages) {
    return ListCommand.filter("namespace", namespaces.chosen(pages))
        + ListCommand.filter("queue", Optional.ofNullable(queue))
        + ListCommand.filter("user", Optional.ofNullable(user));
  }
}
