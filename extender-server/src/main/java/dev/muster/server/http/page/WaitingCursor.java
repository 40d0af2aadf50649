package dev.muster.server.http.page;

import dev.muster.core.admission.Rank;
import dev.muster.core.gang.GangId;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;

/// The place in the order of waiting gangs after which the next page begins. It stays valid when
/// gangs come and go between two pages.
///
/// @param inLine true if the last gang of the page before has a position
/// @param rank rank of that gang
record WaitingCursor(boolean inLine, Rank rank) {
  private static final String SEPARATOR = "\n";
  private static final int PARTS = 7;

  static WaitingCursor of(WaitingOrder.Place last) {
    return new WaitingCursor(last.inLine(), last.rank());
  }

  /// True if the gang comes after this place.
  boolean isBefore(WaitingOrder.Place place) {
    return place.inLine() == inLine ? place.rank().compareTo(rank) > 0 : inLine;
  }

  /// Returns the cursor as text for a URL.
  String text() {
    GangId gang = rank.gang();
    String parts =
        String.join(
            SEPARATOR,
            String.valueOf(inLine),
            String.valueOf(rank.priority()),
            String.valueOf(rank.share()),
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
            new Rank(
                Integer.parseInt(parts[1]),
                Long.parseLong(parts[2]),
                Instant.parse(parts[3]),
                gang));
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
