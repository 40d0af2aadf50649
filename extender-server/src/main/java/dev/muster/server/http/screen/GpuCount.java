package dev.muster.server.http.screen;

import com.fasterxml.jackson.databind.JsonNode;

/// Numbers of GPUs by their state.
///
/// @param total all GPUs
/// @param used used by pods
/// @param promised promised to pods that start
/// @param free free on nodes that take pods
/// @param out free on nodes that take no pods, since they are cordoned or unhealthy
record GpuCount(int total, int used, int promised, int free, int out) {
  static final GpuCount NONE = new GpuCount(0, 0, 0, 0, 0);

  /// Returns the GPUs of a node or of a sum of nodes, as the API has them.
  static GpuCount of(JsonNode gpus, boolean takesPods) {
    int free = Math.max(0, gpus.path("free").asInt());
    return new GpuCount(
        gpus.path("total").asInt(),
        gpus.path("used").asInt(),
        gpus.path("promised").asInt(),
        takesPods ? free : 0,
        takesPods ? 0 : free);
  }

  GpuCount plus(GpuCount other) {
    return new GpuCount(
        total + other.total,
        used + other.used,
        promised + other.promised,
        free + other.free,
        out + other.out);
  }

  /// Returns a bar of these GPUs.
  GpuPicture bar() {
    return GpuPicture.bar(this);
  }
}
