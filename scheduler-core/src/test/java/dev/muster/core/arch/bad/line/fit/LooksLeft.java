package dev.muster.core.arch.bad.line.fit;

import dev.muster.core.arch.bad.line.collect.Ground;

/// Uses an earlier place, as it may.
public record LooksLeft(Ground ground) {}
