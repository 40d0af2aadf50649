package dev.muster.core.topology;

import java.util.Comparator;

/// A full-duplex link between two places. Links are ordered from the widest to the narrowest, then
/// by their ends.
///
/// @param a the lesser end; the constructor accepts the ends in either order
/// @param b the greater end
/// @param bandwidthMbps Mbit/s in one direction, at most [Interconnect#MAX_MBPS]; 0 when not known
public record Link(Vertex a, Vertex b, long bandwidthMbps) implements Comparable<Link> {
  private static final Comparator<Link> WIDEST_FIRST =
      Comparator.comparingLong(Link::bandwidthMbps)
          .reversed()
          .thenComparing(Link::a)
          .thenComparing(Link::b);

  public Link {
    if (a.equals(b)) {
      throw new IllegalArgumentException(
          "A link joins %s to itself; its ends must differ.".formatted(a));
    }
    if (bandwidthMbps < 0 || bandwidthMbps > Interconnect.MAX_MBPS) {
      throw new IllegalArgumentException(
          "The link from %s to %s has %d Mbit/s; it must be 0 to %d."
              .formatted(a, b, bandwidthMbps, Interconnect.MAX_MBPS));
    }
    if (a.compareTo(b) > 0) {
      Vertex lesser = b;
      b = a;
      a = lesser;
    }
  }

  @Override
  public int compareTo(Link other) {
    return WIDEST_FIRST.compare(this, other);
  }
}
