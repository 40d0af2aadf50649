package dev.muster.policy.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/// Files for a reader, and the values or problems it finds in them.
abstract class StrictReaderFiles {
  static final StrictReader<Ship> READER = new StrictReader<>(List.of(Ship.KIND));
  static final String HEADER = "apiVersion: sea.example/v1\nkind: Ship\n";
  static final String NAMED = HEADER + "name: Resolute\n";
  static final String REVISION_OF_NAMED = "a70cb0c63a29";

  static Loaded<Ship> read(String text) {
    return READER.read("ship.yaml", text.getBytes(UTF_8));
  }

  static Ship value(String text) {
    return switch (read(text)) {
      case Loaded.Valid<Ship>(Ship ship, String _) -> ship;
      case Loaded.Invalid<Ship> invalid -> throw new AssertionError(invalid.render());
    };
  }

  static String problems(String text) {
    return render(read(text));
  }

  static String render(Loaded<Ship> loaded) {
    return switch (loaded) {
      case Loaded.Valid<Ship> valid -> throw new AssertionError("valid: " + valid);
      case Loaded.Invalid<Ship> invalid -> invalid.render();
    };
  }
}
