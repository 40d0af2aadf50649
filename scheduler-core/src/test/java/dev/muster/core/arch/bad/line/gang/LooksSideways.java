package dev.muster.core.arch.bad.line.gang;

import dev.muster.core.arch.bad.line.topology.LooksRight;

/// Uses a package of its own place.
public final class LooksSideways {
  final LooksRight[] peers = {};
}
