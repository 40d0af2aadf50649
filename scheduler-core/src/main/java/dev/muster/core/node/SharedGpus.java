package dev.muster.core.node;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.MemberId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// The shared GPUs of a node and the piece of each pod.
///
/// A piece goes to the fullest GPU on which it fits, the first among equally full ones, otherwise
/// to an unused GPU. So unused GPUs stay whole for members that need whole ones. The piece stays
/// there until its pod leaves. Then exactly that piece is free, whatever came and went in between.
///
/// *Example:* GPUs 0 and 1 have 300 and 600 thousandths in use. A piece of 400 goes to GPU 1 and
/// fills it. The next piece of 400 goes to GPU 0, a third one to an unused GPU.
///
/// @param pieces piece of each pod
/// @param used thousandths in use on each shared GPU; 0 where the last piece was given back
public record SharedGpus(SortedTable<MemberId, Piece> pieces, List<Integer> used) {
  /// A piece of a GPU.
  ///
  /// @param gpu index among the shared GPUs
  /// @param milli thousandths of it, 1 to 999
  public record Piece(int gpu, int milli) {}

  /// The state without a shared GPU.
  public static final SharedGpus NONE = new SharedGpus(SortedTable.empty(), List.of());

  private static final int WHOLE = 1000;

  /// Returns the state with this many thousandths for the pod, 0 for none.
  ///
  /// A pod that already has this many keeps its piece.
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

  /// Returns the state after the pod gave back its piece, if it had one.
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

  /// Returns the number of GPUs with at least one piece in use.
  public int gpus() {
    return used.isEmpty() ? 0 : used.size() - Collections.frequency(used, 0);
  }

  /// Returns the free thousandths of each GPU with a piece in use, fewest first.
  List<Integer> free() {
    return used.isEmpty()
        ? List.of()
        : used.stream().filter(milli -> milli > 0).map(milli -> WHOLE - milli).sorted().toList();
  }
}
