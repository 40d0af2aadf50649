package dev.muster.server.http.extender;

import dev.muster.core.gang.GangId;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.owner.kind.OwnedPod;
import dev.muster.server.kube.start.StartSwitch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Reads the few fields of a pod that identify its gang and its scheduler; everything else is
/// skipped.
public final class PodReader {
  /// Longer annotations name no owner and no size.
  private static final int LONGEST = 253;

  private final Set<String> accelerators;
  private final JsonCursor cursor;
  private String namespace = "";
  private String name = "";
  private String uid = "";
  private String schedulerName = "";
  private String labelled = "";
  private String annotated = "";
  private String annotatedOld = "";
  private String grouped = "";
  private boolean wantsAccelerator;
  private String createdAt = "";
  private int priority;
  private String controllerKind = "";
  private String controllerName = "";
  private String controllerUid = "";
  private final TreeMap<String, String> labels = new TreeMap<>();
  private final Map<String, String> annotations = new HashMap<>();

  private PodReader(Set<String> accelerators, JsonCursor cursor) {
    this.accelerators = accelerators;
    this.cursor = cursor;
  }

  /// Reads the pod object at the cursor.
  static ExtenderPod read(Set<String> accelerators, JsonCursor cursor)
      throws IOException, MalformedRequest {
    PodReader reader = new PodReader(accelerators, cursor);
    cursor.fields(reader::pod);
    return reader.pod();
  }

  private ExtenderPod pod() {
    String space = namespace.isBlank() ? "default" : namespace;
    List<GangId> groups = new ArrayList<>();
    addGroup(groups, space, GangId.Origin.POD_GROUP, labelled);
    addGroup(groups, space, GangId.Origin.NATIVE, StartSwitch.isOne(grouped) ? "" : grouped);
    addGroup(groups, space, GangId.Origin.VOLCANO, annotated.isBlank() ? annotatedOld : annotated);
    String scheduler = schedulerName.isEmpty() ? WellKnownNames.DEFAULT_SCHEDULER : schedulerName;
    var standing = new ExtenderPod.Standing(priority, labels, createdAt);
    var owned =
        new OwnedPod(space, labels, annotations, controllerKind, controllerName, controllerUid);
    return new ExtenderPod(space, name, uid, scheduler, groups, owned, wantsAccelerator, standing);
  }

  private static void addGroup(
      List<GangId> groups, String namespace, GangId.Origin origin, String name) {
    if (!name.isBlank()) {
      groups.add(new GangId(namespace, origin, name.strip()));
    }
  }

  private void pod(String key) throws IOException, MalformedRequest {
    switch (key) {
      case "metadata" -> cursor.fields(this::metadata);
      case "spec" -> cursor.fields(this::spec);
      default -> cursor.skip();
    }
  }

  private void metadata(String key) throws IOException, MalformedRequest {
    switch (key) {
      case "namespace" -> namespace = cursor.text();
      case "name" -> name = cursor.text();
      case "uid" -> uid = cursor.text();
      case "creationTimestamp" -> createdAt = cursor.text();
      case "labels" -> cursor.fields(this::label);
      case "annotations" -> cursor.fields(this::annotation);
      case "ownerReferences" -> cursor.elements(this::owner);
      default -> cursor.skip();
    }
  }

  private void owner() throws IOException, MalformedRequest {
    String[] owner = {"", "", "", ""};
    cursor.fields(key -> {
      switch (key) {
        case "kind" -> owner[0] = cursor.text();
        case "name" -> owner[1] = cursor.text();
        case "controller" -> owner[2] = cursor.scalar();
        case "uid" -> owner[3] = cursor.text();
        default -> cursor.skip();
      }
    });
    if (owner[2].equals("true")) {
      controllerKind = owner[0];
      controllerName = owner[1];
      controllerUid = owner[3];
    }
  }

  private void label(String key) throws IOException, MalformedRequest {
    String value = cursor.text();
    labels.put(key, value);
    labelled = key.equals(WellKnownNames.POD_GROUP) ? value : labelled;
  }

  private void annotation(String key) throws IOException, MalformedRequest {
    String value = cursor.text();
    switch (key) {
      case WellKnownNames.VOLCANO_GROUP -> annotated = value;
      case WellKnownNames.VOLCANO_GROUP_OLD -> annotatedOld = value;
      default -> {
        if (value.length() <= LONGEST) {
          annotations.put(key, value);
        }
      }
    }
  }

  private void spec(String key) throws IOException, MalformedRequest {
    switch (key) {
      case "schedulerName" -> schedulerName = cursor.text();
      case "priority" ->
          priority = Math.clamp(cursor.integer(), Integer.MIN_VALUE, Integer.MAX_VALUE);
      case "schedulingGroup" -> cursor.fields(this::group);
      case "containers", "initContainers" -> cursor.elements(() -> cursor.fields(this::container));
      default -> cursor.skip();
    }
  }

  private void group(String key) throws IOException, MalformedRequest {
    if (key.equals("podGroupName")) {
      grouped = cursor.text();
    } else {
      cursor.skip();
    }
  }

  private void container(String key) throws IOException, MalformedRequest {
    if (key.equals("resources")) {
      cursor.fields(this::resources);
    } else {
      cursor.skip();
    }
  }

  private void resources(String key) throws IOException, MalformedRequest {
    if (key.equals("requests") || key.equals("limits")) {
      cursor.fields(this::amount);
    } else {
      cursor.skip();
    }
  }

  private void amount(String resource) throws IOException, MalformedRequest {
    if (accelerators.contains(resource)) {
      wantsAccelerator |= isPositive(cursor.scalar());
    } else {
      cursor.skip();
    }
  }

  /// True if a Kubernetes quantity is more than zero: some digit before any exponent is not 0.
  public static boolean isPositive(String quantity) {
    for (int i = 0; i < quantity.length(); i++) {
      char c = quantity.charAt(i);
      if (c >= '1' && c <= '9') {
        return quantity.charAt(0) != '-';
      }
      if (c == 'e' || c == 'E') {
        return false;
      }
    }
    return false;
  }
}
