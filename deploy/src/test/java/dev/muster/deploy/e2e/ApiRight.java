package dev.muster.deploy.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.List;
import java.util.stream.Stream;

/// A right that a rule of RBAC grants, and a use of one that the audit log shows.
///
/// @param resource with its subresource, as `pods/status`
/// @param name of the only object; empty for a right to all
record ApiRight(String verb, String group, String resource, String name) {

  /// Returns the rights of a rule.
  static Stream<ApiRight> grantedBy(PolicyRule rule) {
    List<String> names = rule.getResourceNames().isEmpty() ? List.of("") : rule.getResourceNames();
    return rule.getVerbs().stream()
        .flatMap(verb ->
            rule.getApiGroups().stream()
                .flatMap(group ->
                    rule.getResources().stream()
                        .flatMap(resource ->
                            names.stream()
                                .map(name -> new ApiRight(verb, group, resource, name)))));
  }

  /// Returns the right that a request asked for.
  ///
  /// @param request the field `objectRef` of the audit event
  static ApiRight asked(String verb, JsonNode request) {
    String kind = request.path("resource").asText();
    String part = request.path("subresource").asText();
    return new ApiRight(
        verb,
        request.path("apiGroup").asText(),
        part.isEmpty() ? kind : kind + "/" + part,
        request.path("name").asText());
  }

  /// True if this right allows the use.
  boolean allows(ApiRight use) {
    return verb.equals(use.verb)
        && group.equals(use.group)
        && resource.equals(use.resource)
        && (name.isEmpty() || name.equals(use.name));
  }

  /// Returns the right to the object of any name.
  ApiRight toAll() {
    return new ApiRight(verb, group, resource, "");
  }

  @Override
  public String toString() {
    String of = group.isEmpty() ? resource : resource + "." + group;
    return verb + " " + of + (name.isEmpty() ? "" : " " + name);
  }
}
