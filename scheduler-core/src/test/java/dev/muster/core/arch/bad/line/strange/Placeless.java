package dev.muster.core.arch.bad.line.strange;

/// Is in a package that the line does not name.
public record Placeless() {}
