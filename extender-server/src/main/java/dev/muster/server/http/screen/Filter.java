package dev.muster.server.http.screen;

import dev.muster.server.http.page.PageQuery;
import java.util.Locale;

/// A filter of a screen.
///
/// @param name parameter in the address
/// @param value present value; empty without one
record Filter(String name, String label, String value) {
  static Filter of(String name, PageQuery query) {
    return new Filter(
        name,
        name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1),
        query.values().getOrDefault(name, ""));
  }
}
