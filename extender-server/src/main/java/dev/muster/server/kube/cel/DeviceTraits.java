package dev.muster.server.kube.cel;

import java.util.Map;

/// What an expression may ask of a device.
///
/// @param driver the driver that offers it
/// @param attributes texts, whole numbers (`Long`), truths, [Version]s and lists of them, by domain
///   and name
/// @param capacity how much it has, by domain and name
/// @param shared whether it may be given to several claims
public record DeviceTraits(
    String driver,
    Map<String, Map<String, Object>> attributes,
    Map<String, Map<String, Amount>> capacity,
    boolean shared) {}
