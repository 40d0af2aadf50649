package dev.muster.core.arch.bad.line.strange;

/// Lives in a package that the line does not name.
public record Placeless() {}
