package dev.muster.server.http.stream;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The open streams, with the address of each. Addresses share the places: when all are taken, a
/// new stream takes one of the address with most streams, so that none keeps others out.
///
/// Threads: any.
///
/// @param <T> streams
final class OpenStreams<T> {
  private final int most;
  private final Map<T, String> addresses = new LinkedHashMap<>(); // oldest first

  /// @param most number of places
  OpenStreams(int most) {
    this.most = most;
  }

  /// The outcome of a request for a place.
  ///
  /// @param isOpen true if the stream has a place
  /// @param ended stream that lost its place for it
  record Added<T>(boolean isOpen, Optional<T> ended) {}

  /// Adds a stream, if a place is free, or another address has at least two streams more. Then that
  /// address loses its newest one.
  synchronized Added<T> add(String address, T stream) {
    Optional<T> ended = addresses.size() < most ? Optional.empty() : newestOfMost(address);
    ended.ifPresent(addresses::remove);
    boolean isOpen = addresses.size() < most;
    if (isOpen) {
      addresses.put(stream, address);
    }
    return new Added<>(isOpen, ended);
  }

  private Optional<T> newestOfMost(String address) {
    Map<String, List<T>> byAddress = new LinkedHashMap<>();
    addresses.forEach(
        (stream, of) -> byAddress.computeIfAbsent(of, _ -> new ArrayList<>()).add(stream));
    int own = byAddress.getOrDefault(address, List.of()).size();
    return byAddress.values().stream()
        .max(Comparator.comparingInt(List::size))
        .filter(streams -> streams.size() >= own + 2)
        .map(List::getLast);
  }

  synchronized void remove(T stream) {
    addresses.remove(stream);
  }

  /// Returns the streams that are open now.
  synchronized List<T> all() {
    return List.copyOf(addresses.keySet());
  }

  synchronized int size() {
    return addresses.size();
  }
}
