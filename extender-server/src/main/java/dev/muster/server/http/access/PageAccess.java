package dev.muster.server.http.access;

import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Decides what the caller of a page may see.
@FunctionalInterface
public interface PageAccess {
  /// Everybody who reaches the port sees everything.
  PageAccess OPEN = (_, answer) -> answer.accept(new Granted(PageView.WHOLE));

  /// Every caller that names a host of loopback sees everything. The browser of a web page of
  /// elsewhere names another host, even where that name leads to this machine (DNS rebinding).
  PageAccess LOCAL =
      (request, answer) ->
          answer.accept(
              isLoopback(request.host())
                  ? new Granted(PageView.WHOLE)
                  : new Denied(
                      403,
                      "This server answers only calls to its own machine: use http://127.0.0.1 or http://localhost with its port."));

  /// The header with the token of a caller behind a proxy that removes `Authorization`. Nobody is
  /// trusted for it: only the API server says whose token it is.
  String FORWARDED = "X-Forwarded-Authorization";

  /// The audience of tokens that are made for these pages alone.
  String AUDIENCE = "muster.dev";

  /// The outcome of a decision.
  sealed interface Answer {}

  /// The caller gets the page, reduced to what it may see.
  ///
  /// @param since when the oldest answer of the API server behind it came, by `System.nanoTime()`
  record Granted(PageView view, long since) implements Answer {
    /// Grants by what is known now.
    public Granted(PageView view) {
      this(view, System.nanoTime());
    }
  }

  /// The caller gets an error.
  ///
  /// @param status HTTP status
  /// @param problem reason, with the remedy
  record Denied(int status, String problem) implements Answer {}

  /// A request for a page.
  ///
  /// @param address address of the caller, without port
  /// @param host host that the caller names, without port; empty if none
  /// @param authorization the header `Authorization`
  /// @param scopes scopes of the gangs that the page shows; called once, on any thread
  record Request(
      String address,
      String host,
      Optional<String> authorization,
      Supplier<Set<GangScope>> scopes) {}

  /// Returns the rule of a server that asks for no token.
  ///
  /// @param host address to which the server is bound
  static PageAccess open(String host) {
    return isLoopback(host) ? LOCAL : OPEN;
  }

  private static boolean isLoopback(String host) {
    return host.matches("(?i)localhost|127(\\.\\d{1,3}){3}|::1|\\[::1]");
  }

  /// Decides about one request.
  ///
  /// @param answer receiver of the decision; called once, on any thread
  void decide(Request request, Consumer<Answer> answer);
}
