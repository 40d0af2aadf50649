package dev.muster.server.http;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Proposed victims that are left as they stand in the body of the call: an object of the very
/// shape that Go writes, its keys in ascending order.
///
/// ```
/// {"gpu-1":{"Pods":[{"UID":"u1"},{"UID":"u2"}],"NumPDBViolations":0},"gpu-2":{"Pods":null,"NumPDBViolations":0}}
/// ```
final class VictimsInBody implements ProposedVictims {
  private static final int STRIDE = 4;
  private static final byte[] PODS = PlainCursor.ascii(":{\"Pods\":");
  private static final byte[] NULL = PlainCursor.ascii("null");
  private static final byte[] UID = PlainCursor.ascii("{\"UID\":\"");
  private static final byte[] VIOLATIONS = PlainCursor.ascii(",\"NumPDBViolations\":");

  private final byte[] body;
  private final Offsets uids = new Offsets(); // where each begins and ends
  private final Offsets candidates = new Offsets(); // likewise; the uids up to there; the number

  private int number; // where the one last taken begins

  private VictimsInBody(byte[] body) {
    this.body = body;
  }

  /// Passes over the object of candidates that comes next; nothing, when something else comes.
  static Optional<VictimsInBody> take(byte[] body, PlainCursor cursor) {
    VictimsInBody victims = new VictimsInBody(body);
    boolean plain = cursor.take('{') && (cursor.isAt('}') || victims.takeAll(cursor));
    return plain && cursor.take('}') ? Optional.of(victims) : Optional.empty();
  }

  private boolean takeAll(PlainCursor cursor) {
    int start = cursor.at();
    int end = start;
    do {
      if (!cursor.takeString() || !isHigher(start, end, cursor)) {
        return false;
      }
      start = cursor.start();
      end = cursor.end();
      if (!takeVictims(cursor)) {
        return false;
      }
      add(start - 1, cursor.at(), number);
    } while (cursor.take(','));
    return true;
  }

  /// Go sorts the keys of a map, so a node that comes twice comes at once.
  private boolean isHigher(int start, int end, PlainCursor node) {
    return candidates.size() == 0
        || Arrays.compare(body, start, end, body, node.start(), node.end()) < 0;
  }

  private boolean takeVictims(PlainCursor cursor) {
    return cursor.take(PODS)
        && takePods(cursor)
        && cursor.take(VIOLATIONS)
        && takeNumber(cursor)
        && cursor.take('}');
  }

  private boolean takeNumber(PlainCursor cursor) {
    number = cursor.at();
    return cursor.takeNumber();
  }

  private boolean takePods(PlainCursor cursor) {
    return cursor.take(NULL)
        || (cursor.take('[') && (cursor.isAt(']') || takeUids(cursor)) && cursor.take(']'));
  }

  private boolean takeUids(PlainCursor cursor) {
    do {
      if (!cursor.take(UID) || !cursor.takeRest() || cursor.start() == cursor.end()) {
        return false;
      }
      uids.add(cursor.start(), cursor.end());
      if (!cursor.take('}')) {
        return false;
      }
    } while (cursor.take(','));
    return true;
  }

  @Override
  public ProposedVictims sparing(NameSet kept) {
    return sparing(kept, (_, _) -> false);
  }

  @Override
  public ProposedVictims sparing(NameSet kept, Predicate<PreemptionArgs.Candidate> mayGoOn) {
    return sparing(kept, (candidate, uid) -> mayGoOn.test(decoded(candidate, uid)));
  }

  /// What is asked about a candidate whose victims are not all spared.
  private interface Question {
    boolean isYes(int candidate, int firstUid);
  }

  private ProposedVictims sparing(NameSet kept, Question mayGoOn) {
    VictimsInBody spared = new VictimsInBody(body);
    int uid = 0;
    for (int i = 0; i < candidates.size(); i += STRIDE) {
      int first = uid;
      boolean spares = true;
      for (; uid < candidates.get(i + 2); uid += 2) {
        spares = spares && !kept.contains(body, uids.get(uid), uids.get(uid + 1));
      }
      if (spares || mayGoOn.isYes(i, first)) {
        spared.add(candidates.get(i), candidates.get(i + 1), candidates.get(i + 3));
      }
    }
    return spared;
  }

  /// One candidate with its names decoded.
  ///
  /// @param first where the offsets of its first uid are
  private PreemptionArgs.Candidate decoded(int candidate, int first) {
    List<String> victims = new ArrayList<>();
    for (int uid = first; uid < candidates.get(candidate + 2); uid += 2) {
      victims.add(text(uids.get(uid), uids.get(uid + 1)));
    }
    PlainCursor name = new PlainCursor(body, candidates.get(candidate));
    name.takeString();
    return new PreemptionArgs.Candidate(
        text(name.start(), name.end()), victims, number(candidates.get(candidate + 3)));
  }

  private String text(int from, int to) {
    return new String(body, from, to - from, StandardCharsets.US_ASCII);
  }

  /// The number that comes next from there on.
  private long number(int from) {
    PlainCursor cursor = new PlainCursor(body, from);
    cursor.takeNumber();
    return Long.parseLong(text(from, cursor.at()));
  }

  private void add(int start, int end, int violations) {
    candidates.add(start, end);
    candidates.add(uids.size(), violations);
  }

  /// The candidates as they came, within two texts.
  byte[] between(byte[] head, byte[] tail) {
    byte[] json = new byte[head.length + length() + tail.length];
    System.arraycopy(head, 0, json, 0, head.length);
    int at = head.length;
    for (int i = 0; i < candidates.size(); i += STRIDE) {
      int first = candidates.get(i);
      while (i + STRIDE < candidates.size()
          && candidates.get(i + STRIDE) == candidates.get(i + 1) + 1) {
        i += STRIDE; // the next one is copied with it, and the comma between them
      }
      int length = candidates.get(i + 1) - first;
      System.arraycopy(body, first, json, at, length);
      at += length;
      if (i + STRIDE < candidates.size()) {
        json[at++] = ',';
      }
    }
    System.arraycopy(tail, 0, json, at, tail.length);
    return json;
  }

  /// The length of all candidates and the commas between them.
  private int length() {
    int length = 0;
    for (int i = 0; i < candidates.size(); i += STRIDE) {
      length += candidates.get(i + 1) - candidates.get(i) + (i > 0 ? 1 : 0);
    }
    return length;
  }
}
