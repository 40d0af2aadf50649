package dev.muster.core.arch.bad.line.fit;

import dev.muster.core.arch.bad.line.collect.Ground;

/// Uses a package of an earlier place, which is allowed.
public record LooksLeft(Ground ground) {}
