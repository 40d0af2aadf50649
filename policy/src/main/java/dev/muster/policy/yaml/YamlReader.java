package dev.muster.policy.yaml;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.yaml.YamlDocument.Place;
import dev.muster.policy.yaml.YamlDocument.Spot;
import dev.muster.policy.yaml.YamlFaults.Unsafe;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.CollectionNode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/// Turns composed YAML nodes into a tree and records the place of every field.
///
/// Objects are never constructed from tags. The depth, the number of nodes after following aliases
/// and the total length of their paths are bounded, so every file is read in bounded time.
public final class YamlReader {

  static final int DEEPEST = 50;
  static final int MOST_NODES = 50_000;

  /// Limit of the length of all paths together; a node's path has the names of all nodes above it.
  private static final long MOST_PATH_SIGNS = 32L << 20;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final String file;
  private final Map<JsonPointer, Place> places = new HashMap<>();
  private final List<FileProblem> problems = new ArrayList<>();
  private int nodes;
  private long pathSigns;

  private YamlReader(String file) {
    this.file = file;
  }

  /// Reads `text`, which should hold exactly one document. Never throws.
  public static YamlDocument read(String file, String text) {
    YamlReader reader = new YamlReader(file);
    JsonNode root = MissingNode.getInstance();
    try {
      YamlText yaml = new YamlText(text);
      if (yaml.hasNext()) {
        root = reader.tree(yaml.next());
      }
      if (yaml.hasNext()) {
        reader.complain(yaml.next(), "", YamlFaults.SECOND_DOCUMENT);
      }
    } catch (YAMLException fault) {
      reader.problems.add(YamlFaults.problem(file, text, fault));
    }
    return new YamlDocument(file, root, reader.places, Map.of(file, text), reader.problems);
  }

  private JsonNode tree(Node root) {
    Spot spot = spot(root.getStartMark());
    return convert(root, JsonPointer.empty(), new Place(file, "", spot, spot));
  }

  private JsonNode convert(Node node, JsonPointer at, Place place) {
    nodes++;
    if (nodes > MOST_NODES || depth(at) > DEEPEST) {
      throw new Unsafe(
          "more than " + MOST_NODES + " values or " + DEEPEST + " levels after following aliases",
          node.getStartMark());
    }
    pathSigns += at.length() + place.field().length();
    if (pathSigns > MOST_PATH_SIGNS) {
      throw new Unsafe("field names that are too long", node.getStartMark());
    }
    places.put(at, place);
    return switch (node) {
      case MappingNode mapping -> mapping(mapping, at, place);
      case SequenceNode sequence -> sequence(sequence, at, place);
      case ScalarNode scalar -> scalar(scalar, place);
      default -> throw new Unsafe("unknown node " + node.getNodeId(), node.getStartMark());
    };
  }

  private ObjectNode mapping(MappingNode mapping, JsonPointer at, Place place) {
    checkTag(mapping, Tag.MAP, place);
    ObjectNode object = JSON.objectNode();
    Map<String, Spot> seen = new HashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        complain(tuple.getKeyNode(), place.field(), "a field name must be plain text.");
        continue;
      }
      String name = key.getValue();
      String field = FieldPath.child(place.field(), name);
      if (name.equals("<<") && key.isPlain()) {
        complain(key, field, YamlFaults.MERGE_KEY);
        continue;
      }
      Spot first = seen.putIfAbsent(name, spot(key.getStartMark()));
      if (first != null) {
        complain(key, field, YamlFaults.duplicate(first));
        continue;
      }
      Place child = new Place(file, field, spot(key.getStartMark()), valueSpot(tuple));
      object.set(name, convert(tuple.getValueNode(), at.appendProperty(name), child));
    }
    return object;
  }

  private ArrayNode sequence(SequenceNode sequence, JsonPointer at, Place place) {
    checkTag(sequence, Tag.SEQ, place);
    ArrayNode array = JSON.arrayNode();
    for (Node item : sequence.getValue()) {
      int index = array.size();
      Spot spot = spot(item.getStartMark());
      Place child = new Place(file, FieldPath.item(place.field(), index), spot, spot);
      array.add(convert(item, at.appendIndex(index), child));
    }
    return array;
  }

  private JsonNode scalar(ScalarNode scalar, Place place) {
    String text = scalar.getValue();
    Tag tag = scalar.getTag();
    if (tag.equals(Tag.BOOL)) {
      return JSON.booleanNode(Boolean.parseBoolean(text));
    } else if (tag.equals(Tag.NULL)) {
      return JSON.nullNode();
    } else if (!tag.equals(Tag.INT) && !tag.equals(Tag.FLOAT)) {
      checkTag(scalar, Tag.STR, place);
    } else if (PlainScalars.isNumber(text)) {
      return number(new BigDecimal(text));
    } else {
      complain(scalar, place.field(), "\"" + ShownValue.text(text) + "\" is not a number.");
    }
    return JSON.textNode(text);
  }

  /// Returns whole numbers as integers in any notation, because JSON Schema counts 3.0 as an
  /// integer.
  private static JsonNode number(BigDecimal number) {
    if (number.stripTrailingZeros().scale() > 0) {
      return JSON.numberNode(number);
    }
    BigInteger whole = number.toBigInteger();
    return whole.bitLength() < Integer.SIZE
        ? JSON.numberNode(whole.intValue())
        : JSON.numberNode(whole);
  }

  private void checkTag(Node node, Tag expected, Place place) {
    if (!node.getTag().equals(expected)) {
      complain(node, place.field(), YamlFaults.tag(node.getTag().getValue()));
    }
  }

  private void complain(Node node, String field, String message) {
    Spot spot = spot(node.getStartMark());
    problems.add(new FileProblem(file, spot.line(), spot.column(), field, message));
  }

  /// Returns the start of the value; that of the key if the value is empty or in block style.
  private static Spot valueSpot(NodeTuple tuple) {
    Node value = tuple.getValueNode();
    boolean atKey =
        switch (value) {
          case ScalarNode scalar -> scalar.getValue().isEmpty() && scalar.isPlain();
          case CollectionNode<?> collection -> collection.getFlowStyle() == FlowStyle.BLOCK;
          default -> false;
        };
    return spot((atKey ? tuple.getKeyNode() : value).getStartMark());
  }

  private static Spot spot(Mark mark) {
    return new Spot(mark.getLine() + 1, mark.getColumn() + 1);
  }

  private static int depth(JsonPointer pointer) {
    int depth = 0;
    for (JsonPointer at = pointer; !at.matches(); at = at.tail()) {
      depth++;
    }
    return depth;
  }
}
