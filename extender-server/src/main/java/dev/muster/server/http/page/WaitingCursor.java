package dev.muster.server.http.page;

import dev.muster.core.admission.Rank;
import dev.muster.core.gang.GangId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/// The place in the order of waiting gangs after which the next page begins. It stays valid when
/// gangs come and go between two pages.
///
/// It names the queue in place of its share, which the caller may not see. The share is that of the
/// gangs of this queue on the page. Without such gangs all of equal priority follow, some again.
///
/// @param inLine true if the last gang of the page before has a position
/// @param queue queue of that gang
/// @param rank rank of that gang, without the share
record WaitingCursor(boolean inLine, String queue, Rank rank) {
  private static final String SEPARATOR = "\n";
  private static final int PARTS = 7;

  static WaitingCursor of(WaitingOrder.Place last) {
    return new WaitingCursor(last.inLine(), last.gang().queue(), last.rank());
  }

  /// Returns the places that come after this one, in their order.
  ///
  /// @param places places that the caller sees
  List<WaitingOrder.Place> rest(List<WaitingOrder.Place> places) {
    long share =
        places.stream()
            .filter(place -> place.gang().queue().equals(queue))
            .mapToLong(place -> place.rank().share())
            .findFirst()
            .orElse(Long.MIN_VALUE);
    Rank last = rank.at(share);
    return places.stream()
        .filter(place -> place.inLine() == inLine ? place.rank().compareTo(last) > 0 : inLine)
        .toList();
  }

  /// Returns the cursor as text for a URL.
  String text() {
    GangId gang = rank.gang();
    String parts =
        String.join(
            SEPARATOR,
            String.valueOf(inLine),
            String.valueOf(rank.priority()),
            queue,
            rank.eligibleAt().toString(),
            gang.namespace(),
            gang.origin().name(),
            gang.name());
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(parts.getBytes(StandardCharsets.UTF_8));
  }

  /// Reads a cursor.
  ///
  /// @throws MalformedQuery if no page has given this text
  static WaitingCursor parse(String text) throws MalformedQuery {
    try {
      String[] parts =
          new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8)
              .split(SEPARATOR, -1);
      if (parts.length == PARTS) {
        GangId gang = new GangId(parts[4], GangId.Origin.valueOf(parts[5]), parts[6]);
        return new WaitingCursor(
            Boolean.parseBoolean(parts[0]),
            parts[2],
            new Rank(Integer.parseInt(parts[1]), 0, Instant.parse(parts[3]), gang));
      }
    } catch (RuntimeException _) { // many types, for the parts of a text that anyone can invent
      throw stray();
    }
    throw stray();
  }

  private static MalformedQuery stray() {
    return new MalformedQuery(
        "The parameter \"after\" must be the value of \"next\" of the page before.");
  }
}
