package dev.muster.server.http;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Random bodies of extender calls. Half of them are as kube-scheduler writes them. The others have
/// reordered, unknown and duplicate fields, and other letter cases. They also have white space,
/// escapes, names beyond ASCII, nulls and values of wrong types.
final class CallBodies {
  private static final List<String> KEYS =
      List.of("Pod", "Nodes", "NodeNames", "NodeNameToVictims", "NodeNameToMetaVictims");
  private static final List<String> PODS =
      List.of("planned", "late", "bound", "unseen", "stranger");
  private static final List<String> NODES =
      List.of(
          "gpu-1",
          "gpu-2",
          "gpu-3",
          "cpu-1",
          "new-1",
          "gpu-22",
          "gpu-",
          "GPU-2",
          "",
          "ip-10-0-112-33.rack-7.example",
          "ip-10-0-112-33.Rack_7!.example");
  private static final List<String> ODD_STRINGS =
      List.of(
          "gpu\\u002d2",
          "g\\\"pu",
          "gpu-ü",
          "\\ud83d\\ude00",
          "\\ud800",
          "gpu-2\\\\",
          "a\\/b",
          "x".repeat(1_100));
  private static final List<String> ODD_VALUES =
      List.of(
          "null", "1", "-0.5e3", "true", "\"gpu-2\"", "[]", "{}", "[null]", "[[\"gpu-2\"]]", "01");

  private final Random random;
  private final boolean odd;

  CallBodies(Random random) {
    this.random = random;
    this.odd = random.nextBoolean();
  }

  static byte wound(Random random) {
    String bytes = "\"\\{}[],: \u0000\u007fnN0a";
    int which = random.nextInt(bytes.length() + 1);
    return which == bytes.length() ? (byte) 0xC3 : (byte) bytes.charAt(which);
  }

  String body() {
    List<String> fields =
        new ArrayList<>(KEYS.stream().filter(_ -> !rarely()).map(this::field).toList());
    if (rarely()) {
      fields.add(fields.isEmpty() ? field("Extra") : pick(fields));
    }
    if (odd) {
      Collections.shuffle(fields, random);
    }
    return space() + join(fields, "{", "}") + (rarely() ? "x" : space());
  }

  private boolean rarely() {
    return odd && random.nextInt(12) == 0;
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private String space() {
    return odd ? pick(List.of("", "", "", " ", "\n\t", "\r\n  ")) : "";
  }

  private String join(List<String> parts, String open, String close) {
    return parts.stream().collect(Collectors.joining(",", open + space(), close));
  }

  private String field(String key) {
    String name = rarely() ? key.toLowerCase(java.util.Locale.ROOT) : rarely() ? key + "2" : key;
    return entry(string(name), rarely() ? pick(ODD_VALUES) : value(key));
  }

  private String entry(String key, String value) {
    return space() + key + space() + ":" + space() + value + space();
  }

  private static String string(String text) {
    return '"' + text + '"';
  }

  private String value(String key) {
    return switch (key) {
      case "Pod" -> pod(pick(PODS));
      case "NodeNames" -> join(some(this::node), "[", "]");
      case "NodeNameToMetaVictims" -> candidates(this::meta);
      case "NodeNameToVictims" ->
          rarely() ? candidates(() -> "{\"metadata\":{\"uid\":\"u\"}}") : "null";
      default -> rarely() ? "{\"items\":[{\"metadata\":{\"name\":\"gpu-2\"}}]}" : "null";
    };
  }

  private List<String> some(Supplier<String> item) {
    return IntStream.range(0, random.nextInt(6))
        .mapToObj(_ -> space() + item.get() + space())
        .toList();
  }

  private String node() {
    return rarely() ? pick(ODD_VALUES) : string(rarely() ? pick(ODD_STRINGS) : pick(NODES));
  }

  private String candidates(Supplier<String> victim) {
    List<String> nodes = new ArrayList<>(new TreeSet<>(some(() -> pick(NODES).strip())));
    if (rarely()) {
      nodes.add(pick(NODES));
    }
    return join(
        nodes.stream().map(n -> entry(string(n.strip()), victims(victim))).toList(), "{", "}");
  }

  private String victims(Supplier<String> victim) {
    String pods = random.nextInt(6) == 0 ? "null" : join(some(victim), "[", "]");
    List<String> fields = new ArrayList<>();
    fields.add(entry(string(rarely() ? "pods" : "Pods"), pods));
    fields.add(
        entry(
            string("NumPDBViolations"),
            rarely() ? pick(ODD_VALUES) : String.valueOf(random.nextInt(30))));
    if (rarely()) {
      Collections.reverse(fields);
    }
    if (rarely()) {
      fields.removeLast();
    }
    return join(fields, "{", "}");
  }

  private String meta() {
    String uid = rarely() ? pick(ODD_STRINGS) : pick(List.of("u1", "u2", "uid-bound"));
    return rarely() ? pick(ODD_VALUES) : "{\"UID\":" + space() + string(uid) + "}";
  }

  private String pod(String name) {
    String label = name.equals("stranger") ? "" : "\"scheduling.x-k8s.io/pod-group\":\"train\"";
    return "{\"metadata\":{\"name\":\"%1$s\",%2$s\"namespace\":\"ml\",\"uid\":\"uid-%1$s\",\"labels\":{%3$s},\"annotations\":{\"a\":\"}]\\\"ü\"}},%2$s\"spec\":{\"containers\":[]}}"
        .formatted(name, space(), label);
  }
}
