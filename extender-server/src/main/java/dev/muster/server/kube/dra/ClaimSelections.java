package dev.muster.server.kube.dra;

import dev.muster.core.decision.MessageLimit;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The selections of all claims and templates, and the namespaces that use each of them.
///
/// The selections of a claim are read at the first look at it, and again after a device class has
/// changed. So the users of a selection are found without a look at all claims. All claims are
/// visited one by one, so that each caller can stop in time.
///
/// Not safe for use by several threads. Keys begin with `namespace/`.
final class ClaimSelections {
  /// What was read of a claim.
  ///
  /// @param classes number of changes of device classes before; [#UNREAD] if nothing was read
  /// @param byName its selections by their names, in the order of its requests
  private record Noted(ResourceClaimSpec spec, int classes, Map<String, DeviceSelection> byName) {}

  private static final int UNREAD = -1;

  private final Function<ResourceClaimSpec, List<DeviceSelection>> reader;
  private final TreeMap<String, Noted> byKey = new TreeMap<>();

  /// The number of claims that use a selection, by its name and their namespaces.
  private final Map<String, TreeMap<String, Integer>> users = new HashMap<>();

  private int classes;

  /// The key that was visited last; empty before the first one, null after the last one.
  private @Nullable String visited;

  /// @param reader reads the selections of a claim
  ClaimSelections(Function<ResourceClaimSpec, List<DeviceSelection>> reader) {
    this.reader = reader;
  }

  /// Records the current spec of a claim or template; empty if it is deleted.
  void put(String key, Optional<ResourceClaimSpec> spec) {
    Noted before = byKey.get(key);
    if (spec.equals(Optional.ofNullable(before).map(Noted::spec))) {
      return;
    }
    forget(key);
    spec.ifPresent(now -> byKey.put(key, new Noted(now, UNREAD, Map.of())));
  }

  private Noted note(String key, ResourceClaimSpec spec) {
    Map<String, DeviceSelection> byName = new LinkedHashMap<>();
    reader.apply(spec).forEach(selection -> byName.put(selection.name(), selection));
    String namespace = namespace(key);
    byName
        .keySet()
        .forEach(name ->
            users.computeIfAbsent(name, _ -> new TreeMap<>()).merge(namespace, 1, Integer::sum));
    Noted noted = new Noted(spec, classes, byName);
    byKey.put(key, noted);
    return noted;
  }

  private void forget(String key) {
    Noted before = byKey.remove(key);
    if (before != null) {
      String namespace = namespace(key);
      before
          .byName
          .keySet()
          .forEach(name ->
              users.computeIfPresent(
                  name,
                  (_, claims) -> {
                    claims.computeIfPresent(
                        namespace, (_, number) -> number == 1 ? null : number - 1);
                    return claims.isEmpty() ? null : claims;
                  }));
    }
  }

  /// Returns the selections of a claim or template, read with the present device classes.
  Collection<DeviceSelection> of(String key) {
    Noted noted = byKey.get(key);
    if (noted != null && noted.classes != classes) {
      forget(key);
      noted = note(key, noted.spec);
    }
    return noted == null ? List.of() : noted.byName.values();
  }

  /// Returns the namespaces whose claims use the selection with this name, as far as they are read.
  SortedSet<String> users(String name) {
    TreeMap<String, Integer> claims = users.get(name);
    return claims == null ? Collections.emptySortedSet() : claims.navigableKeySet();
  }

  /// Returns a sentence for each selection with a problem. It names the first of the claims that
  /// use the selection.
  ///
  /// @param problem returns the problem of a selection; empty if there is none
  List<String> problems(Function<DeviceSelection, Optional<String>> problem) {
    Map<DeviceSelection, List<String>> keys = new LinkedHashMap<>();
    for (String key : List.copyOf(byKey.keySet())) {
      of(key)
          .forEach(selection -> keys.computeIfAbsent(selection, _ -> new ArrayList<>()).add(key));
    }
    List<String> sentences = new ArrayList<>();
    keys.forEach((selection, users) ->
        problem
            .apply(selection)
            .ifPresent(why ->
                sentences.add(
                    MessageLimit.cut(
                        "%s%s: the selection (%s) is not counted: %s."
                            .formatted(
                                ClaimObjects.named(users.getFirst()),
                                users.size() == 1 ? "" : " and %d more".formatted(users.size() - 1),
                                selection.name(),
                                why)))));
    return sentences;
  }

  static String namespace(String key) {
    return key.substring(0, Math.max(0, key.indexOf('/')));
  }

  /// Notes that a device class changed. All claims are to be visited.
  void classesChanged() {
    classes++;
    visitAll();
  }

  /// Begins to visit all claims and templates.
  void visitAll() {
    visited = "";
  }

  /// Returns the key of the next claim or template; empty if all were visited.
  Optional<String> next() {
    visited = visited == null ? null : byKey.higherKey(visited);
    return Optional.ofNullable(visited);
  }

  /// True if [#next] has said that all were visited.
  boolean isVisited() {
    return visited == null;
  }
}
