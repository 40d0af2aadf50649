package dev.muster.server.http;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads calls in the form that Go gives them, in one pass over the bytes, with the names of nodes
/// left where they are. Whatever looks otherwise (other keys, keys in lower case, escapes, node
/// objects) is not taken: [ExtenderReader] reads everything, and this reader reads nothing that it
/// would read otherwise.
final class PlainReader {
  /// The keys of all calls.
  private enum Key {
    POD("Pod"),
    NODES("Nodes"),
    NODE_NAMES("NodeNames"),
    VICTIMS("NodeNameToVictims"),
    META_VICTIMS("NodeNameToMetaVictims");

    private final String name;

    Key(String name) {
      this.name = name;
    }

    static @Nullable Key taken(PlainCursor cursor) {
      for (Key key : values()) {
        if (cursor.holds(key.name)) {
          return key;
        }
      }
      return null;
    }
  }

  private static final byte[] NULL = PlainCursor.ascii("null");

  private final byte[] body;
  private final Set<String> accelerators;
  private final PlainCursor cursor;
  private final Set<Key> seen = EnumSet.noneOf(Key.class);
  private Optional<RequestedPod> pod = Optional.empty();
  private Optional<NamesInBody> names = Optional.empty();
  private Optional<VictimsInBody> victims = Optional.empty();

  private PlainReader(byte[] body, Set<String> accelerators) {
    this.body = body;
    this.accelerators = accelerators;
    this.cursor = new PlainCursor(body, 0);
  }

  /// A filter or prioritize call, if it is plain and about node names.
  static Optional<ExtenderArgs> args(byte[] body, Set<String> accelerators) {
    PlainReader reader = new PlainReader(body, accelerators);
    return reader.read() && reader.names.isPresent()
        ? Optional.of(
            new ExtenderArgs(reader.pod, reader.names.map(OfferedNodes.class::cast), Casing.GO))
        : Optional.empty();
  }

  /// A preempt call, if it is plain and about uids.
  static Optional<PreemptionArgs> preemption(byte[] body, Set<String> accelerators) {
    PlainReader reader = new PlainReader(body, accelerators);
    return reader.read() && reader.victims.isPresent()
        ? Optional.of(new PreemptionArgs(reader.pod, reader.victims.orElseThrow(), Casing.GO))
        : Optional.empty();
  }

  /// Whether all of the body was plain.
  private boolean read() {
    if (!cursor.take('{')) {
      return false;
    }
    do {
      if (!field()) {
        return false;
      }
    } while (cursor.take(','));
    return cursor.take('}') && cursor.isAtEnd() && pod.isPresent();
  }

  private boolean field() {
    Key key = cursor.takeString() ? Key.taken(cursor) : null;
    if (key == null || !seen.add(key) || !cursor.take(':')) {
      return false;
    }
    if (cursor.take(NULL)) {
      return true;
    }
    return switch (key) {
      case POD -> pod();
      case NODE_NAMES -> {
        names = NamesInBody.take(body, cursor);
        yield names.isPresent();
      }
      case META_VICTIMS -> {
        victims = VictimsInBody.take(body, cursor);
        yield victims.isPresent();
      }
      case NODES, VICTIMS -> false;
    };
  }

  private boolean pod() {
    try {
      int past = JsonCursor.readObjectAt(body, cursor.at(), this::pod);
      cursor.moveTo(past);
      return true;
    } catch (MalformedRequest left) { // to the full reader, which says what is wrong
      return false;
    }
  }

  private void pod(JsonCursor json) throws IOException, MalformedRequest {
    pod = Optional.of(PodReader.read(accelerators, json));
  }
}
