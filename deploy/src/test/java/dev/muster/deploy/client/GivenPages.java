package dev.muster.deploy.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Pages that are held in memory, by their path. Other paths have a page without fields.
public final class GivenPages implements PageSource {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Map<String, JsonNode> pages = new HashMap<>();

  private int failure;

  private final List<String> asked = new ArrayList<>();

  /// Returns the paths in the order in which they were read.
  public List<String> asked() {
    return List.copyOf(asked);
  }

  public GivenPages with(String path, String json) {
    pages.put(path, json(json));
    return this;
  }

  /// Every page fails from now on.
  GivenPages failing(int status) {
    failure = status;
    return this;
  }

  static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  public JsonNode get(String path) {
    asked.add(path);
    if (failure != 0) {
      throw new PageProblem(failure, "no answer");
    }
    return pages.getOrDefault(path, MAPPER.createObjectNode());
  }

  @Override
  public Optional<String> namespace() {
    return Optional.empty();
  }

  @Override
  public Optional<WorkloadPods> workloads() {
    return Optional.empty();
  }

  @Override
  public void close() {}
}
