package dev.muster.server.http;

/// How well a node suits a pod.
///
/// @param host the node's name
/// @param score from 0 to 10, the range of the extender contract
public record HostScore(String host, int score) {
  /// As good as can be said.
  public static final int BEST = 10;
}
