package dev.muster.server.http.extender;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the requests of kube-scheduler: the types of `k8s.io/kube-scheduler/extender/v1`, with
/// keys in any case. Pods and nodes inside have the keys of Kubernetes, whose case is significant.
public final class ExtenderReader {
  private final Set<String> accelerators;
  private final JsonCursor cursor;
  private @Nullable KeyCasing casing;
  private @Nullable ExtenderPod pod;
  private @Nullable OfferedNodes names;
  private @Nullable List<OfferedNodes.NodeObject> objects;
  private @Nullable List<PreemptionArgs.Candidate> meta;
  private @Nullable List<PreemptionArgs.Candidate> whole;

  private ExtenderReader(Set<String> accelerators, JsonCursor cursor) {
    this.accelerators = accelerators;
    this.cursor = cursor;
  }

  /// Reads the body of a filter or prioritize call. If both names and objects are given, the names
  /// count.
  ///
  /// @throws MalformedRequest if it is not JSON, or a value has the wrong type
  public static ExtenderArgs args(byte[] body, Set<String> accelerators) throws MalformedRequest {
    ExtenderReader reader = read(body, accelerators);
    Optional<OfferedNodes> byName = Optional.ofNullable(reader.names);
    Optional<OfferedNodes> offer =
        byName.or(() -> Optional.ofNullable(reader.objects).map(OfferedNodes.Objects::new));
    return new ExtenderArgs(Optional.ofNullable(reader.pod), offer, reader.casing());
  }

  /// Reads the body of a preempt call. If both uids and whole pods are given, the uids count.
  ///
  /// @throws MalformedRequest if it is not JSON, or a value has the wrong type
  public static PreemptionArgs preemption(byte[] body, Set<String> accelerators)
      throws MalformedRequest {
    ExtenderReader reader = read(body, accelerators);
    List<PreemptionArgs.Candidate> candidates =
        Optional.ofNullable(reader.meta)
            .or(() -> Optional.ofNullable(reader.whole))
            .orElse(List.of());
    return new PreemptionArgs(Optional.ofNullable(reader.pod), candidates, reader.casing());
  }

  private static ExtenderReader read(byte[] body, Set<String> accelerators)
      throws MalformedRequest {
    return JsonCursor.readObject(
        body,
        cursor -> {
          ExtenderReader reader = new ExtenderReader(accelerators, cursor);
          cursor.fields(reader::field);
          return reader;
        });
  }

  private KeyCasing casing() {
    return casing == null ? KeyCasing.GO : casing;
  }

  private void field(String key) throws IOException, MalformedRequest {
    casing = casing == null ? KeyCasing.of(key) : casing;
    if (cursor.isNull()) {
      return;
    }
    switch (key.toLowerCase(Locale.ROOT)) {
      case "pod" -> pod = once(pod, PodReader.read(accelerators, cursor));
      case "nodenames" -> names = once(names, names());
      case "nodes" -> objects = once(objects, nodes());
      case "nodenametometavictims" -> meta = once(meta, candidates());
      case "nodenametovictims", "nodetovictims" -> whole = once(whole, candidates());
      default -> cursor.skip();
    }
  }

  private <T> T once(@Nullable T before, T value) throws MalformedRequest {
    if (before != null) {
      throw cursor.wrong("given once, not in two spellings");
    }
    return value;
  }

  private OfferedNodes names() throws IOException, MalformedRequest {
    int start = cursor.start();
    List<String> read = new ArrayList<>();
    cursor.elements(() -> read.add(name()));
    return OfferedNodes.Names.of(read, cursor.bytesFrom(start));
  }

  private String name() throws IOException, MalformedRequest {
    if (cursor.isNull()) {
      throw cursor.wrong("the name of a node");
    }
    return cursor.text();
  }

  private List<OfferedNodes.NodeObject> nodes() throws IOException, MalformedRequest {
    List<OfferedNodes.NodeObject> read = new ArrayList<>();
    cursor.fields(key -> {
      if (key.equalsIgnoreCase("items")) {
        cursor.elements(() -> read.add(node()));
      } else {
        cursor.skip();
      }
    });
    return read;
  }

  private OfferedNodes.NodeObject node() throws IOException, MalformedRequest {
    int start = cursor.start();
    String name = metadata("name");
    if (name.isEmpty()) {
      throw cursor.wrong("a node with a metadata.name");
    }
    return new OfferedNodes.NodeObject(name, cursor.bytesFrom(start));
  }

  /// Returns one text field of the metadata of the object at the cursor.
  private String metadata(String wanted) throws IOException, MalformedRequest {
    String[] found = {""};
    cursor.fields(key -> {
      if (key.equals("metadata")) {
        found[0] = field(wanted, found[0]);
      } else {
        cursor.skip();
      }
    });
    return found[0];
  }

  private String field(String wanted, String otherwise) throws IOException, MalformedRequest {
    String[] found = {otherwise};
    cursor.fields(key -> {
      if (key.equals(wanted)) {
        found[0] = cursor.text();
      } else {
        cursor.skip();
      }
    });
    return found[0];
  }

  private List<PreemptionArgs.Candidate> candidates() throws IOException, MalformedRequest {
    List<PreemptionArgs.Candidate> read = new ArrayList<>();
    cursor.fields(node -> read.add(candidate(node)));
    return read;
  }

  private PreemptionArgs.Candidate candidate(String node) throws IOException, MalformedRequest {
    List<String> uids = new ArrayList<>();
    long[] violations = {0};
    cursor.fields(key -> {
      switch (key.toLowerCase(Locale.ROOT)) {
        case "pods" -> cursor.elements(() -> uids.add(victim()));
        case "numpdbviolations" -> violations[0] = cursor.integer();
        default -> cursor.skip();
      }
    });
    return new PreemptionArgs.Candidate(node, uids, violations[0]);
  }

  /// Returns the uid of a victim: `{"UID": "u"}`, or a whole pod.
  private String victim() throws IOException, MalformedRequest {
    String[] uid = {""};
    cursor.fields(key -> {
      if (key.equals("metadata")) {
        uid[0] = field("uid", uid[0]);
      } else if (key.equalsIgnoreCase("uid")) {
        uid[0] = cursor.text();
      } else {
        cursor.skip();
      }
    });
    if (uid[0].isEmpty()) {
      throw cursor.wrong("a victim with a uid");
    }
    return uid[0];
  }
}
