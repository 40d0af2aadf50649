package dev.muster.server.http.page;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The part of a list that a caller asks for.
///
/// @param offset entries before the part, from 0
/// @param limit most entries of the part, from 1
/// @param sort order of the list
public record ListPart(int offset, int limit, String sort) {
  /// The limit of a caller who asks for the whole list.
  static final int ALL = Integer.MAX_VALUE;

  /// Most entries of a part.
  static final int MOST = 500;

  private static final int FARTHEST = 9_999_999;

  /// Returns the part that a query asks for.
  ///
  /// @param usual limit without the parameter
  /// @param sorts orders of the list, the usual one first
  /// @throws MalformedQuery if a value cannot be read
  static ListPart of(PageQuery query, int usual, List<String> sorts) throws MalformedQuery {
    String sort = query.value(PageParameters.SORT).orElse(sorts.getFirst());
    if (!sorts.contains(sort)) {
      throw new MalformedQuery(
          "The parameter \"sort\" must be one of %s.".formatted(String.join(", ", sorts)));
    }
    return new ListPart(
        number(query, PageParameters.OFFSET, 0, FARTHEST).orElse(0),
        number(query, PageParameters.LIMIT, 1, MOST).orElse(usual),
        sort);
  }

  private static OptionalInt number(PageQuery query, String name, int least, int most)
      throws MalformedQuery {
    Optional<String> text = query.value(name);
    if (text.isEmpty()) {
      return OptionalInt.empty();
    }
    int number = text.get().matches("[0-9]{1,7}") ? Integer.parseInt(text.get()) : -1;
    if (number < least || number > most) {
      throw new MalformedQuery(
          "The parameter \"%s\" must be %d to %d.".formatted(name, least, most));
    }
    return OptionalInt.of(number);
  }

  /// Returns the entries of the part.
  <T> List<T> of(List<T> all) {
    int from = Math.min(offset, all.size());
    return all.subList(from, from + Math.min(limit, all.size() - from));
  }
}
