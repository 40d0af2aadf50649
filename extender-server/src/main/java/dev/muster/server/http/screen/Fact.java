package dev.muster.server.http.screen;

/// A named value on a screen.
record Fact(String name, String value) {}
