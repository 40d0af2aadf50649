package dev.muster.core.topology;

import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// How the GPUs of one model of machine are linked, and what that means for jobs that use some of
/// them.
///
/// Two GPUs have the widest path through switches; a set of GPUs has the bottleneck of its maximum
/// spanning tree over such pairs (see [Interconnect#bottleneck]): what a ring or tree laid through
/// its own members gets.
///
/// Where the free GPUs are known, the best k of them are what a job can get. Where only their
/// number is known, it can be promised what the best k of the worst set of so many have.
///
/// Example, a DGX-1 with V100: of the free GPUs 0, 5, 6 and 7 the pair 5, 6 has two NVLinks. Any
/// two might be 0 and 5, which reach each other by PCIe alone; of any three some two are in one
/// half and have a link; of any five some two have two.
///
/// All subsets are tried once, when anything is first asked of them: 2^16 at most, some
/// milliseconds. [MachineFamily] keeps the models that are known; few clusters have more than one
/// or two of them.
public final class MachineModel {
  /// The most GPUs whose subsets are all tried.
  public static final int MAX_GPUS = 16;

  private final String name;
  private final int gpus;
  private final List<Link> links;

  /// What trying all subsets came to, once it was asked for. Threads may each try them: what they
  /// find is the same.
  private @Nullable Search search;

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
    this.links = new Interconnect(links).links();
  }

  private Search search() {
    Search known = search;
    if (known == null) {
      known = new Search(pairs(new Interconnect(links), gpus));
      search = known;
    }
    return known;
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
    return search().best[checked(k)].gpus();
  }

  /// The k of these GPUs that are best joined, likewise; empty when there are no k or the machine
  /// has no such GPUs. At most 2^16 sets are looked at.
  public List<Integer> bestSubset(int k, SortedSet<Integer> free) {
    return search().bestOf(k, free).gpus();
  }

  /// The bottleneck in Mbit/s that the best k GPUs have; [Interconnect#UNBOUNDED] for one.
  ///
  /// @throws IllegalArgumentException when the machine has no k GPUs
  public long bandwidthOf(int k) {
    return search().best[checked(k)].bottleneck;
  }

  /// The bottleneck in Mbit/s of k GPUs when these are free: what the best of them have where they
  /// are known, else what can be [guaranteed][#guaranteed(int, int)]. [Interconnect#UNBOUNDED] for
  /// one; 0 when there are not so many.
  public long bandwidthOf(int k, FreeGpus free) {
    return free.indexes()
        .map(known -> Math.max(0, search().bestOf(k, known).bottleneck))
        .orElseGet(() -> k > free.count() ? 0 : guaranteed(k, Math.min(gpus, free.count())));
  }

  /// The bottleneck in Mbit/s that any k GPUs have. [Interconnect#UNBOUNDED] for one.
  ///
  /// @throws IllegalArgumentException when the machine has no k GPUs
  public long guaranteed(int k) {
    return guaranteed(k, k);
  }

  /// The bottleneck in Mbit/s that the best k of any so many free GPUs have: what can be promised
  /// when it is not known which are free. [Interconnect#UNBOUNDED] for one.
  ///
  /// @param free how many are free, at least k
  /// @throws IllegalArgumentException when the machine has no k or not so many free GPUs
  public long guaranteed(int k, int free) {
    if (checked(k) > checked(free)) {
      throw new IllegalArgumentException(
          "%d GPUs are asked of machine \"%s\", of which %d are free. Maybe the count is stale."
              .formatted(k, name, free));
    }
    return search().guarantees[k][free];
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

    List<Integer> gpus() {
      return IntStream.range(0, MAX_GPUS).filter(i -> (mask >> i & 1) != 0).boxed().toList();
    }

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
    private final Subset[] best;
    private final long[][] guarantees;

    /// For each set, where its bottleneck stands among the widths; sets of one have none.
    private final byte[] bottlenecks;

    Search(long[][] pairs) {
      this.pairs = pairs;
      this.widths =
          Arrays.stream(pairs).flatMapToLong(Arrays::stream).distinct().sorted().toArray();
      this.neighbours =
          LongStream.of(widths).mapToObj(mbps -> neighbours(pairs, mbps)).toArray(int[][]::new);
      this.bottlenecks = new byte[1 << pairs.length];
      this.best = new Subset[pairs.length + 1];
      Arrays.fill(best, Subset.NONE);
      for (int mask = 1; mask < bottlenecks.length; mask++) {
        int size = Integer.bitCount(mask);
        bottlenecks[mask] = (byte) (size < 2 ? 0 : bottleneck(mask));
        best[size] = better(best[size], mask);
      }
      this.guarantees = new long[pairs.length + 1][];
      for (int k = 1; k <= pairs.length; k++) {
        guarantees[k] = guarantees(k);
      }
    }

    private Subset better(Subset before, int mask) {
      long bottleneck = width(mask);
      if (bottleneck < before.bottleneck) {
        return before;
      }
      Subset subset = new Subset(mask, bottleneck, total(mask));
      return subset.isBetterThan(before) ? subset : before;
    }

    private long width(int mask) {
      return Integer.bitCount(mask) < 2 ? Interconnect.UNBOUNDED : widths[bottlenecks[mask]];
    }

    Subset bestOf(int k, SortedSet<Integer> free) {
      if (free.isEmpty() || free.first() < 0 || free.last() >= pairs.length) {
        return Subset.NONE;
      }
      int all = free.stream().mapToInt(gpu -> 1 << gpu).sum();
      Subset found = Subset.NONE;
      for (int mask = all; mask != 0; mask = (mask - 1) & all) {
        found = Integer.bitCount(mask) == k ? better(found, mask) : found;
      }
      return found;
    }

    /// For each number of free GPUs, the least bottleneck that the best k of so many have. The best
    /// of a set is the best of what is left without one of its GPUs, whichever that is.
    private long[] guarantees(int k) {
      long[] least = new long[pairs.length + 1];
      Arrays.fill(least, Interconnect.UNBOUNDED);
      byte[] bests = new byte[bottlenecks.length];
      for (int mask = 1; mask < bests.length && k > 1; mask++) {
        int size = Integer.bitCount(mask);
        if (size >= k) {
          byte most = size == k ? bottlenecks[mask] : 0;
          for (int todo = size == k ? 0 : mask; todo != 0; todo &= todo - 1) {
            most = (byte) Math.max(most, bests[mask ^ Integer.lowestOneBit(todo)]);
          }
          bests[mask] = most;
          least[size] = Math.min(least[size], widths[most]);
        }
      }
      return least;
    }

    /// For each GPU those that it reaches with at least so much, one bit each.
    private static int[] neighbours(long[][] pairs, long mbps) {
      return Arrays.stream(pairs)
          .mapToInt(row ->
              IntStream.range(0, row.length).filter(i -> row[i] >= mbps).map(i -> 1 << i).sum())
          .toArray();
    }

    private int bottleneck(int mask) {
      int width = widths.length - 1;
      while (width > 0 && !joined(mask, neighbours[width])) {
        width--;
      }
      return width;
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

    /// The sum of bandwidths over all pairs of the set.
    private long total(int mask) {
      long total = 0;
      for (int rest = mask; rest != 0; rest &= rest - 1) {
        long[] row = pairs[Integer.numberOfTrailingZeros(rest)];
        for (int todo = rest & (rest - 1); todo != 0; todo &= todo - 1) {
          total += row[Integer.numberOfTrailingZeros(todo)];
        }
      }
      return total;
    }
  }
}
