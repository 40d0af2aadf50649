package dev.muster.core.topology;

import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// The links between the GPUs of one machine model, and the bandwidth of jobs on subsets.
///
/// The bandwidth between two GPUs is that of their widest path through switches. The bottleneck of
/// a set of GPUs is that of its maximum spanning tree over such pairs (see
/// [Interconnect#bottleneck]). A ring or tree through the members of the set reaches this
/// bandwidth.
///
/// Where the free GPUs are known, a job can get the best k of them. Where only their number is
/// known, the guarantee is the best k of the worst set of that size.
///
/// Example, a DGX-1 with V100. Of the free GPUs 0, 5, 6 and 7 the pair 5, 6 has two NVLinks. Any
/// two free GPUs might be 0 and 5, which reach each other by PCIe only. Of any three, some two are
/// in one half and have a link. Of any five, some two have two links.
///
/// The search tries all subsets once, at the first question about them: at most 2^16, in some
/// milliseconds. [MachineFamily] keeps the known models; few clusters have more than two of them.
public final class MachineModel {
  /// The greatest number of GPUs for which all subsets are tried.
  public static final int MAX_GPUS = 16;

  private final String name;
  private final int gpus;
  private final List<Link> links;

  /// The cached result of the search; null until first used. Several threads may each run the
  /// search; their results are equal.
  private @Nullable Search search;

  /// Creates a machine from the links within it.
  ///
  /// @param name display name
  /// @param gpus number of GPUs, 1 to [#MAX_GPUS]
  /// @param links the links between GPUs, NVSwitches, PCIe roots
  public MachineModel(String name, int gpus, List<Link> links) {
    if (gpus < 1 || gpus > MAX_GPUS) {
      throw new IllegalArgumentException(
          "Machine \"%s\" has %d GPUs; it must have 1 to %d. Describe an NVLink domain of several nodes as a topology level."
              .formatted(name, gpus, MAX_GPUS));
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

  /// Returns the number of GPUs of the machine.
  public int gpus() {
    return gpus;
  }

  /// Returns the links within the machine, widest first.
  public List<Link> links() {
    return links;
  }

  /// Returns the k best joined GPUs of an empty machine, in ascending order. Sets are compared by
  /// bottleneck, then by the sum of bandwidths over all pairs; ties go to the lowest indexes.
  ///
  /// @throws IllegalArgumentException if the machine has fewer than k GPUs, or k is less than 1
  public List<Integer> bestSubset(int k) {
    return search().best[checked(k)].gpus();
  }

  /// Returns the k best joined of these GPUs, compared as in [#bestSubset(int)]. It is empty when
  /// there are fewer than k, or when the machine does not have these GPUs. It tries at most 2^16
  /// sets.
  public List<Integer> bestSubset(int k, SortedSet<Integer> free) {
    return search().bestOf(k, free).gpus();
  }

  /// Returns the bottleneck of the best k GPUs in Mbit/s; [Interconnect#UNBOUNDED] for one.
  ///
  /// @throws IllegalArgumentException if the machine has fewer than k GPUs, or k is less than 1
  public long bandwidthOf(int k) {
    return search().best[checked(k)].bottleneck;
  }

  /// Returns the bottleneck in Mbit/s of k GPUs out of the free ones. It is that of the best k
  /// where the free GPUs are known, else the [guaranteed][#guaranteed(int, int)] one. It is
  /// [Interconnect#UNBOUNDED] for one GPU, and 0 when fewer than k are free.
  public long bandwidthOf(int k, FreeGpus free) {
    return free.indexes()
        .map(known -> Math.max(0, search().bestOf(k, known).bottleneck))
        .orElseGet(() -> k > free.count() ? 0 : guaranteed(k, Math.min(gpus, free.count())));
  }

  /// Returns the bottleneck in Mbit/s that any k GPUs have at least; [Interconnect#UNBOUNDED] for
  /// one.
  ///
  /// @throws IllegalArgumentException if the machine has fewer than k GPUs, or k is less than 1
  public long guaranteed(int k) {
    return guaranteed(k, k);
  }

  /// Returns the bottleneck in Mbit/s that k GPUs can be promised when only the free number is
  /// known. It is the bottleneck of the best k out of the worst set of that size;
  /// [Interconnect#UNBOUNDED] for one.
  ///
  /// @param k number of GPUs, at least 1
  /// @param free number of free GPUs, at least k
  /// @throws IllegalArgumentException if the machine has fewer GPUs than k or than `free`, or if k
  ///   exceeds `free`
  public long guaranteed(int k, int free) {
    if (checked(k) > checked(free)) {
      throw new IllegalArgumentException(
          "%d GPUs are requested of machine \"%s\", of which %d are free."
              .formatted(k, name, free));
    }
    return search().guarantees[k][free];
  }

  private int checked(int k) {
    if (k < 1 || k > gpus) {
      throw new IllegalArgumentException(
          "%d GPUs are requested of machine \"%s\", which has %d.".formatted(k, name, gpus));
    }
    return k;
  }

  @Override
  public String toString() {
    return name;
  }

  /// A set of GPUs as a bit mask.
  private record Subset(int mask, long bottleneck, long total) {
    static final Subset NONE = new Subset(0, -1, -1);

    List<Integer> gpus() {
      return IntStream.range(0, MAX_GPUS).filter(i -> (mask >> i & 1) != 0).boxed().toList();
    }

    /// True if this set precedes the other, which has an equal size. A tie goes to the set with the
    /// lower least differing index: its reversed mask is greater.
    boolean isBetterThan(Subset other) {
      return bottleneck != other.bottleneck
          ? bottleneck > other.bottleneck
          : total != other.total
              ? total > other.total
              : Integer.compareUnsigned(Integer.reverse(mask), Integer.reverse(other.mask)) > 0;
    }
  }

  /// The exhaustive search over all sets of GPUs. The bottleneck of a set is the greatest bandwidth
  /// at which pairs of at least that bandwidth join it. Sets are tried in ascending order of their
  /// masks, so each comes after its subsets.
  private static final class Search {
    private final long[][] pairs;
    private final long[] widths;
    private final int[][] neighbours;
    private final Subset[] best;
    private final long[][] guarantees;

    /// For each set, the index of its bottleneck in `widths`; not used for sets of one.
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

    /// Returns the least bottleneck of the best k GPUs, for each number of free GPUs. The best k of
    /// a set are the best of those of its subsets that lack one GPU.
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

    /// Returns for each GPU the mask of those that it reaches with at least this bandwidth.
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

    /// Returns the sum of bandwidths over all pairs of the set.
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
