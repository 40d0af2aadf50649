package dev.muster.server.http.screen;

/// What the browser shows in place of a screen.
///
/// @param problem what is wrong, with the remedy
/// @param asks true if a token would help, so that the form for one is shown
/// @param to path below the first screen to which the form returns
record ProblemScreen(String problem, boolean asks, String to) {}
