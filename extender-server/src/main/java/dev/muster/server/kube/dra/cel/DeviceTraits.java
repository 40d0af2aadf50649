package dev.muster.server.kube.dra.cel;

import java.util.Map;

/// The properties of a device that an expression can read.
///
/// @param driver driver that offers the device
/// @param attributes strings, integers (`Long`), booleans, [SemanticVersion]s and lists of them, by
///   domain and name
/// @param capacity amounts by domain and name
/// @param shared true if the device may be allocated to several claims
public record DeviceTraits(
    String driver,
    Map<String, Map<String, Object>> attributes,
    Map<String, Map<String, QuantityValue>> capacity,
    boolean shared) {}
