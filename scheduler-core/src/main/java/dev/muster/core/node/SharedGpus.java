package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// The GPUs of a node that pods share, and who has a piece of which.
///
/// A piece goes to the fullest GPU on which it still fits, the first of those that are equally
/// full, else to a fresh one: fresh GPUs stay whole for those who need whole ones. It stays there
/// until its pod leaves, and then exactly that piece is free again, whatever came and went since.
///
/// Example: GPUs 0 and 1 have 300 and 600 thousandths in use. A piece of 400 goes to GPU 1 and
/// fills it; the next one of 400 goes to GPU 0, a third one to a fresh GPU.
///
/// @param pieces what each pod has
/// @param used thousandths in use on each shared GPU; 0 where the last piece was given back
public record SharedGpus(SortedTable<MemberId, Piece> pieces, List<Integer> used) {
  /// A piece of a GPU.
  ///
  /// @param gpu which of the shared GPUs
  /// @param milli thousandths of it, 1 to 999
  public record Piece(int gpu, int milli) {}

  /// No GPU is shared.
  public static final SharedGpus NONE = new SharedGpus(SortedTable.empty(), List.of());

  private static final int WHOLE = 1000;

  /// The sharing with so many thousandths for the pod, 0 for none. A pod that has as many already
  /// keeps its piece.
  SharedGpus with(MemberId pod, int milli) {
    Optional<Piece> before = pieces.get(pod);
    if ((before.isPresent() ? before.get().milli() : 0) == milli) {
      return this;
    }
    SharedGpus rest = without(pod);
    return milli == 0 ? rest : rest.given(pod, milli);
  }

  private SharedGpus given(MemberId pod, int milli) {
    int gpu = fullestFor(milli);
    List<Integer> after = new ArrayList<>(used);
    if (gpu == after.size()) {
      after.add(0);
    }
    after.set(gpu, after.get(gpu) + milli);
    return new SharedGpus(pieces.with(pod, new Piece(gpu, milli)), List.copyOf(after));
  }

  private int fullestFor(int milli) {
    int best = -1;
    for (int gpu = 0; gpu < used.size(); gpu++) {
      boolean fits = used.get(gpu) > 0 && used.get(gpu) + milli <= WHOLE;
      best = fits && (best < 0 || used.get(gpu) > used.get(best)) ? gpu : best;
    }
    int fresh = used.indexOf(0);
    return best >= 0 ? best : fresh >= 0 ? fresh : used.size();
  }

  /// The sharing once the pod gave back its piece, if it has one.
  private SharedGpus without(MemberId pod) {
    Optional<Piece> piece = pieces.get(pod);
    if (piece.isEmpty()) {
      return this;
    }
    List<Integer> after = new ArrayList<>(used);
    after.set(piece.get().gpu(), after.get(piece.get().gpu()) - piece.get().milli());
    while (!after.isEmpty() && after.getLast() == 0) {
      after.removeLast();
    }
    return new SharedGpus(pieces.without(pod), List.copyOf(after));
  }

  /// How many GPUs are shared by somebody.
  public int gpus() {
    return used.isEmpty() ? 0 : used.size() - Collections.frequency(used, 0);
  }

  /// Thousandths free on each GPU that is shared by somebody, fewest first.
  List<Integer> free() {
    return used.isEmpty()
        ? List.of()
        : used.stream().filter(milli -> milli > 0).map(milli -> WHOLE - milli).sorted().toList();
  }
}
