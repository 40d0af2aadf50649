package dev.muster.core.decision;

import dev.muster.core.fit.Veto.Confines;
import dev.muster.core.fit.Veto.Seats;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The clauses of [ReasonText] about places for members, and about places that are kept.
final class PlaceText {
  private PlaceText() {}

  /// Returns what equal members need: `4 members need 3 GPUs each in one rack`.
  static String needs(Seats seats, Confines where) {
    boolean one = seats.members() == 1;
    return "%s %s %s%s%s"
            .formatted(
                ReasonText.count(seats.members(), "member"),
                one ? "needs" : "need",
                amounts(seats),
                one ? "" : " each",
                seats.alone() && !one ? ", on nodes of their own" : "")
        + together(where);
  }

  /// Returns what slices need: `2 slices of 4 members with 2 GPUs each need one rack per slice`.
  static String needs(int slices, String level, Seats seats, Confines where) {
    return "%s of up to %s with %s each%s %s one %s per slice"
            .formatted(
                ReasonText.count(slices, "slice"),
                ReasonText.count(seats.members(), "member"),
                amounts(seats),
                seats.alone() ? " on nodes of their own" : "",
                slices == 1 ? "needs" : "need",
                level)
        + together(where);
  }

  private static String amounts(Seats seats) {
    List<String> amounts = new ArrayList<>();
    if (seats.gpus() > 0) {
      amounts.add(ReasonText.gpus(seats.gpus()));
    }
    if (seats.gpuMilli() > 0) {
      amounts.add("%d thousandths of a GPU".formatted(seats.gpuMilli()));
    }
    seats
        .other()
        .asMap()
        .forEach((resource, amount) -> amounts.add(ReasonText.amount(resource, amount)));
    return amounts.isEmpty() ? "a node" : String.join(" and ", amounts);
  }

  private static String together(Confines where) {
    String domain =
        where.level().equals("cluster")
            ? ""
            : where.joins()
                ? " in the %s of the others".formatted(where.level())
                : " in one %s".formatted(where.level());
    String model =
        where.model().isEmpty() ? "" : where.begun() ? " on their model" : " on one model";
    return domain + model;
  }

  /// Returns what there is: `the best, b1/r1 with H100, has 3 such places free`. A node is named
  /// only where the gang has members, since its owner may not be allowed to list nodes.
  static String has(Confines where, long places, String noun) {
    boolean unnamed = where.level().equals("node") && !where.joins();
    List<String> best = new ArrayList<>();
    if (!where.best().isEmpty() && !unnamed) {
      best.add(where.best());
    }
    if (!where.model().isEmpty()) {
      best.add(where.model());
    }
    String free =
        noun.equals("place")
            ? "%d such place%s free".formatted(places, places == 1 ? "" : "s")
            : "room for " + places;
    boolean only =
        (where.best().isEmpty() || where.joins()) && (where.model().isEmpty() || where.begun());
    if (best.isEmpty()) {
      return (unnamed ? "the best has " : "the matching nodes have ") + free;
    }
    return "%s, %s, has %s"
        .formatted(only ? "that" : "the best", String.join(" with ", best), free);
  }

  /// Returns that the places are planned or kept for another gang.
  static String delay(String planned, Optional<Instant> start) {
    return start
        .map(at ->
            "It would fit, but would delay %s, which is planned to start on these nodes at %s."
                .formatted(planned, at))
        .orElse(
            "It would fit, but capacity on these nodes is kept for %s, which is ahead of it."
                .formatted(planned));
  }

  /// Returns that members find no place together.
  static String apart(int members, int kinds, String level, boolean proven) {
    return "Places are free for each member alone, but %s for all %d%s together%s."
        .formatted(
            proven ? "there are none" : "none were found",
            members,
            kinds > 1 ? " unlike members" : " members",
            level.equals("cluster") ? "" : " in one " + level);
  }
}
