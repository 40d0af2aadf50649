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
  /// @param authorization the header `Authorization`
  /// @param scopes scopes of the gangs that the page shows; called once, on any thread
  record Request(String address, Optional<String> authorization, Supplier<Set<GangScope>> scopes) {}

  /// Decides about one request.
  ///
  /// @param answer receiver of the decision; called once, on any thread
  void decide(Request request, Consumer<Answer> answer);
}
