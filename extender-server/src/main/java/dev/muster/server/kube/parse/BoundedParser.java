package dev.muster.server.kube.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Passes on a bounded part of one object, however large it is.
///
/// Each field of `metadata`, `spec` and `status` has its [FieldAllowance]. When it is used up,
/// further entries of the field are skipped, and the field counts as [cut][#cut]. What is skipped
/// is never made an object in memory.
public final class BoundedParser extends JsonParserDelegate {
  /// Estimated bytes of an object or map, of a list, and of a text or number, in memory.
  private static final int OBJECT = 256;

  private static final int LIST = 64;
  private static final int VALUE = 64;

  /// Levels of objects and lists inside each other. Objects of Kubernetes have about twenty.
  private static final int LEVELS = 64;

  /// Characters of the name of a field. Keys of labels have at most 317.
  private static final int NAME = 512;

  static final Set<String> PARTS = Set.of("metadata", "spec", "status");

  private static final Set<String> UNCOUNTED =
      Set.of("metadata.annotations", "status.containerStatuses", "status.initContainerStatuses");

  private final long rest;
  private final FieldSelection selection;
  private final Map<String, Count> counts = new HashMap<>();
  private final SortedMap<String, Long> cut = new TreeMap<>();

  /// The levels that are lists.
  private final BitSet lists = new BitSet();

  private int level;
  private String part = "";
  private String field = "";
  private Count count;

  /// What was read of a field.
  private static final class Count {
    private final FieldAllowance allowance;
    private long left;
    private boolean cut;

    Count(FieldAllowance allowance) {
      this.allowance = allowance;
      this.left = allowance.bytes();
    }
  }

  /// @param parser a parser at the start of the object, or before it
  /// @param rest estimated bytes of all fields without an allowance of their own
  /// @param selection the fields that are read; others use up no allowance
  public BoundedParser(JsonParser parser, long rest, FieldSelection selection) {
    super(parser);
    this.rest = rest;
    this.selection = selection;
    this.count = new Count(FieldAllowance.of(field, rest));
    counts.put("", count);
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      open(false);
    }
  }

  /// Returns the fields of which a part was skipped, each with the bytes that are read of it. Of
  /// the fields that share an allowance, it is the one at which this was used up.
  public SortedMap<String, Long> cut() {
    return cut;
  }

  /// Returns the estimated bytes of what was read. Annotations and statuses of containers are left
  /// out, as most of them are not kept.
  public long bytes() {
    return counts.entrySet().stream()
        .filter(field -> !UNCOUNTED.contains(field.getKey()))
        .mapToLong(field -> field.getValue().allowance.bytes() - field.getValue().left)
        .sum();
  }

  @Override
  public @Nullable JsonToken nextToken() throws IOException {
    JsonToken token = delegate.nextToken();
    while (token != null && !passes(token)) {
      token = delegate.nextToken();
    }
    return token;
  }

  @Override
  public @Nullable JsonToken nextValue() throws IOException {
    JsonToken token = nextToken();
    return token == JsonToken.FIELD_NAME ? nextToken() : token;
  }

  @Override
  public JsonParser skipChildren() throws IOException {
    JsonToken token = delegate.currentToken();
    if (token != null && token.isStructStart()) {
      delegate.skipChildren();
      level--;
    }
    return this;
  }

  /// Counts the token. False if it was skipped, with all that belongs to it.
  private boolean passes(JsonToken token) throws IOException {
    if (token == JsonToken.FIELD_NAME) {
      return passesField();
    }
    if (token.isStructEnd()) {
      level--;
      return true;
    }
    if (lists.get(level) && isUsedUp()) {
      delegate.skipChildren();
      return false;
    }
    if (token.isStructStart()) {
      open(token == JsonToken.START_ARRAY);
      count.left -= token == JsonToken.START_ARRAY ? LIST : OBJECT;
    } else {
      count.left -= VALUE + (token == JsonToken.VALUE_STRING ? textLength() : 0);
    }
    return true;
  }

  private boolean passesField() throws IOException {
    String name = delegate.currentName();
    if (level <= 2) {
      enter(name);
    }
    if ((level <= 2 && !selection.isRead(field))
        || (part.equals("spec") && level > 1 && selection.unread().contains(name))
        || name.length() > NAME
        || isUsedUp()) {
      delegate.nextToken();
      delegate.skipChildren();
      return false;
    }
    if (level > 2) {
      count.left -= name.length();
    }
    return true;
  }

  /// Begins a field of the object, or of its metadata, spec or status.
  private void enter(String name) {
    if (level == 1) {
      part = name;
      field = name;
    } else if (PARTS.contains(part)) {
      field = part + "." + name;
    } else {
      return;
    }
    String key = FieldAllowance.isOwn(field) ? field : "";
    count = counts.computeIfAbsent(key, own -> new Count(FieldAllowance.of(own, rest)));
  }

  private boolean isUsedUp() {
    boolean usedUp = count.left <= 0 || level > LEVELS;
    if (usedUp && !count.cut) {
      count.cut = true;
      cut.put(field, count.allowance.bytes());
    }
    return usedUp;
  }

  private void open(boolean list) {
    level++;
    lists.set(level, list);
  }

  // ---- Texts ----

  private int textLength() throws IOException {
    return Math.min(delegate.getTextLength(), count.allowance.text());
  }

  @Override
  public @Nullable String getText() throws IOException {
    return delegate.currentToken() == JsonToken.VALUE_STRING
            && delegate.getTextLength() > count.allowance.text()
        ? new String(delegate.getTextCharacters(), delegate.getTextOffset(), count.allowance.text())
        : delegate.getText();
  }

  @Override
  public @Nullable String getValueAsString() throws IOException {
    return delegate.currentToken() == JsonToken.VALUE_STRING
        ? getText()
        : delegate.getValueAsString();
  }

  @Override
  public @Nullable String getValueAsString(@Nullable String absent) throws IOException {
    return delegate.currentToken() == JsonToken.VALUE_STRING
        ? getText()
        : delegate.getValueAsString(absent);
  }

  @Override
  public boolean hasTextCharacters() {
    return false;
  }
}
