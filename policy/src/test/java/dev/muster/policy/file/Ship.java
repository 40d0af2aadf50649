package dev.muster.policy.file;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The value that the test schema describes.
record Ship(
    String name,
    int masts,
    String rig,
    boolean armed,
    Duration watch,
    List<Sailor> crew,
    Map<String, String> flags) {

  record Sailor(String name, String duty) {}

  Ship {
    if (armed && masts < 2) {
      throw new IllegalArgumentException("a ship with one mast cannot be armed.");
    }
  }

  static final FileKind<Ship> KIND =
      FileKind.of(new FileKind.Header("sea.example/v1", "Ship"), Ship.class, "ship-v1.schema.json");
}
