package dev.muster.core.topology;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/// How the GPUs of one model of machine are linked, and what that means for jobs that use some of
/// them.
///
/// Two GPUs have the widest path through switches; a set of GPUs has the bottleneck of its maximum
/// spanning tree over such pairs (see [Interconnect#bottleneck]): what a ring or tree laid through
/// its own members gets.
///
/// All subsets are tried once, at construction: 2^16 at most, a few milliseconds. [MachineFamily]
/// keeps the models that are known.
public final class MachineModel {
  /// The most GPUs whose subsets are all tried.
  public static final int MAX_GPUS = 16;

  private final String name;
  private final int gpus;
  private final List<Link> links;
  private final List<Subset> best;
  private final List<Long> guaranteed;

  /// A machine by the links within it.
  ///
  /// @param name what people call it
  /// @param gpus how many GPUs it has, 1 to [#MAX_GPUS]
  /// @param links the links between GPUs, NVSwitches, PCIe roots
  public MachineModel(String name, int gpus, List<Link> links) {
    if (gpus < 1 || gpus > MAX_GPUS) {
      throw new IllegalArgumentException(
          "Machine \"%s\" has %d GPUs, not 1 to %d. Maybe it spans several nodes: then name the NVLink domain as a"
                  .formatted(name, gpus, MAX_GPUS)
              + " topology level.");
    }
    this.name = name;
    this.gpus = gpus;
    Interconnect inside = new Interconnect(links);
    this.links = inside.links();
    Search search = new Search(pairs(inside, gpus));
    this.best = List.of(search.best);
    this.guaranteed = LongStream.of(search.worst).boxed().toList();
  }

  private static long[][] pairs(Interconnect inside, int gpus) {
    long[][] pairs = new long[gpus][gpus];
    for (int a = 0; a < gpus; a++) {
      for (int b = 0; b < a; b++) {
        pairs[a][b] =
            inside.bottleneck(new TreeSet<>(List.of(new Vertex.Gpu(a), new Vertex.Gpu(b))));
        pairs[b][a] = pairs[a][b];
      }
    }
    return pairs;
  }

  public String name() {
    return name;
  }

  /// How many GPUs the machine has.
  public int gpus() {
    return gpus;
  }

  /// The links within the machine, widest first.
  public List<Link> links() {
    return links;
  }

  /// The k GPUs of an empty machine that are best joined: by bottleneck, then by the sum of
  /// bandwidths over all pairs, then those of the lowest indexes. In ascending order.
  ///
  /// @throws IllegalArgumentException when the machine has no k GPUs
  public List<Integer> bestSubset(int k) {
    int mask = best.get(checked(k)).mask;
    return IntStream.range(0, gpus).filter(i -> (mask >> i & 1) != 0).boxed().toList();
  }

  /// The bottleneck in Mbit/s that the best k GPUs have; [Interconnect#UNBOUNDED] for one.
  ///
  /// @throws IllegalArgumentException when the machine has no k GPUs
  public long bandwidthOf(int k) {
    return best.get(checked(k)).bottleneck;
  }

  /// The bottleneck in Mbit/s that any k GPUs have: what can be promised when it is not known which
  /// are free. [Interconnect#UNBOUNDED] for one.
  ///
  /// @throws IllegalArgumentException when the machine has no k GPUs
  public long guaranteed(int k) {
    return guaranteed.get(checked(k));
  }

  private int checked(int k) {
    if (k < 1 || k > gpus) {
      throw new IllegalArgumentException(
          "%d GPUs are asked of machine \"%s\", which has %d. Maybe its labels name a smaller machine."
              .formatted(k, name, gpus));
    }
    return k;
  }

  @Override
  public String toString() {
    return name;
  }

  /// A set of GPUs, one bit each.
  private record Subset(int mask, long bottleneck, long total) {
    static final Subset NONE = new Subset(0, -1, -1);

    /// Of two sets of the same size, the one whose least differing index is lower has the greater
    /// mirror image.
    boolean isBetterThan(Subset other) {
      return bottleneck != other.bottleneck
          ? bottleneck > other.bottleneck
          : total != other.total
              ? total > other.total
              : Integer.compareUnsigned(Integer.reverse(mask), Integer.reverse(other.mask)) > 0;
    }
  }

  /// The exhaustive search: a set's bottleneck is the greatest bandwidth such that pairs of at
  /// least that much join it. Sets are tried in ascending order of their bits, so each comes after
  /// those it contains.
  private static final class Search {
    private final long[][] pairs;
    private final long[] widths;
    private final int[][] neighbours;
    private final long[] totals;
    private final Subset[] best;
    private final long[] worst;

    Search(long[][] pairs) {
      this.pairs = pairs;
      this.widths =
          Arrays.stream(pairs).flatMapToLong(Arrays::stream).distinct().sorted().toArray();
      this.neighbours =
          LongStream.of(widths).mapToObj(mbps -> neighbours(pairs, mbps)).toArray(int[][]::new);
      this.totals = new long[1 << pairs.length];
      this.best = new Subset[pairs.length + 1];
      this.worst = new long[pairs.length + 1];
      Arrays.fill(best, Subset.NONE);
      Arrays.fill(worst, Interconnect.UNBOUNDED);
      for (int mask = 1; mask < totals.length; mask++) {
        consider(mask);
      }
    }

    /// For each GPU those that it reaches with at least so much, one bit each.
    private static int[] neighbours(long[][] pairs, long mbps) {
      return Arrays.stream(pairs)
          .mapToInt(row ->
              IntStream.range(0, row.length).filter(i -> row[i] >= mbps).map(i -> 1 << i).sum())
          .toArray();
    }

    private void consider(int mask) {
      totals[mask] = total(mask);
      int size = Integer.bitCount(mask);
      long bottleneck = size < 2 ? Interconnect.UNBOUNDED : bottleneck(mask);
      worst[size] = Math.min(worst[size], bottleneck);
      Subset subset = new Subset(mask, bottleneck, totals[mask]);
      best[size] = subset.isBetterThan(best[size]) ? subset : best[size];
    }

    private long bottleneck(int mask) {
      int width = widths.length - 1;
      while (width > 0 && !joined(mask, neighbours[width])) {
        width--;
      }
      return widths[width];
    }

    private static boolean joined(int mask, int[] neighbours) {
      int reached = Integer.lowestOneBit(mask);
      for (int todo = reached; todo != 0; ) {
        int fresh = neighbours[Integer.numberOfTrailingZeros(todo)] & mask & ~reached;
        reached |= fresh;
        todo = (todo & (todo - 1)) | fresh;
      }
      return reached == mask;
    }

    /// What the set without its first GPU has, and that GPU's pairs.
    private long total(int mask) {
      int rest = mask & (mask - 1);
      long[] row = pairs[Integer.numberOfTrailingZeros(mask)];
      long total = totals[rest];
      for (int todo = rest; todo != 0; todo &= todo - 1) {
        total += row[Integer.numberOfTrailingZeros(todo)];
      }
      return total;
    }
  }
}
