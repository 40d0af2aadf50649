package dev.muster.core.arch.bad.line.collect;

/// The ground of the fixture line.
public record Ground(int height) {}
