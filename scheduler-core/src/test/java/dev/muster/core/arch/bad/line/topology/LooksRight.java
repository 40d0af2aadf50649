package dev.muster.core.arch.bad.line.topology;

import dev.muster.core.arch.bad.line.fit.LooksLeft;

/// Uses a package of a later place.
public record LooksRight(LooksLeft later) {}
