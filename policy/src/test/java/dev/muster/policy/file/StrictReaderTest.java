package dev.muster.policy.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.file.Ship.Sailor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrictReaderTest extends StrictReaderFiles {
  @Nested
  class GoodFiles {

    @Test
    void may_write_whole_numbers_with_a_point() {
      assertThat(value(NAMED + "masts: 2.0\n").masts()).isEqualTo(2);
    }

    @Test
    void become_their_value_with_defaults() {
      assertThat(value(NAMED + "crew: [{name: Ann}]\nmasts: 2\n"))
          .isEqualTo(
              new Ship(
                  "Resolute",
                  2,
                  "brig",
                  false,
                  Duration.ofHours(4),
                  List.of(new Sailor("Ann", "sailor")),
                  Map.of()));
    }

    @Test
    void have_their_content_as_revision() {
      // printf 'apiVersion: sea.example/v1\nkind: Ship\nname: Resolute\n' | sha256sum
      assertThat(read(NAMED)).hasFieldOrPropertyWithValue("revision", REVISION_OF_NAMED);
      assertThat(read(NAMED + "#\n"))
          .extracting("revision")
          .asString()
          .hasSize(12)
          .isNotEqualTo(REVISION_OF_NAMED);
    }

    @Test
    void may_use_aliases_and_quotes_and_one_document_mark() {
      Ship ship = value("---\n" + HEADER + "name: &n 'no'\ncrew: [{name: *n, duty: off}]\n...\n");

      assertThat(ship.name()).isEqualTo("no");
      assertThat(ship.crew()).containsExactly(new Sailor("no", "off"));
    }

    @Test
    void may_start_with_a_byte_order_mark_and_use_windows_line_ends() {
      assertThat(value("\uFEFF" + NAMED.replace("\n", "\r\n")).name()).isEqualTo("Resolute");
    }
  }

  @Nested
  class Mistakes {

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        quoteCharacter = '`',
        textBlock =
            """
            mast: 3         | 4:1: mast: unknown field. Did you mean `masts`?
            duty: cook      | 4:1: duty: unknown field here. Did you mean `crew[].duty`?
            zebra: 1        | 4:1: zebra: unknown field. Known here: apiVersion, kind, name, masts, rig, armed, watch, crew, flags.
            masts: three    | 4:8: masts: "three" must be a whole number. Write it without quotes and units.
            masts: 2.5      | 4:8: masts: 2.5 must be a whole number.
            masts: 9        | 4:8: masts: 9 is too large: at most 7.
            masts: 0        | 4:8: masts: 0 is too small: at least 1.
            masts: 99999999999999999999 | 4:8: masts: 99999999999999999999 is too large: at most 7.
            masts: !!str 3  | 4:8: masts: "3" must be a whole number. Write it without quotes and units.
            masts: 0x3      | 4:8: masts: "0x3" must be a whole number. Write it in decimal digits, without leading zeros and underscores.
            rig: 1e2        | 4:6: rig: 100 must be text. Put it in quotes: "100".
            masts: !!int x  | 4:8: masts: "x" is not a number.
            masts:          | 4:1: masts: has no value. Remove the line to use the default.
            rig: bark       | 4:6: rig: "bark" is not known. Allowed: barque, brig, schooner.
            rig: scooner    | 4:6: rig: "scooner" is not known. Did you mean "schooner"?
            rig: !ship brig | 4:6: rig: the tag "!ship" is not supported.
            armed: yes      | 4:8: armed: "yes" must be true or false. Write true or false, without quotes.
            watch: 30       | 4:8: watch: 30 must be text. Write it like 30m.
            watch: 30min    | 4:8: watch: "30min" is not a duration. Write it like 30m, 1h30m or 45s.
            watch: 999999d  | 4:8: watch: "999999d" is too long a duration: at most 106751d.
            crew: Ann       | 4:7: crew: "Ann" must be a list. Did you mean [Ann]?
            crew: [Ann]     | 4:8: crew[0]: "Ann" must be a mapping (fields indented below it).
            crew: [{nam: A}] | 4:8: crew[0].name: is missing.
            crew: [{name: 7}] | 4:15: crew[0].name: 7 must be text. Put it in quotes: "7".
            flags: {a.b: X} | 4:14: flags["a.b"]: "X" is not well formed. It must match ^[a-z]+$.
            name: Other     | 4:1: name: duplicate field, first on line 3.
            crew: [{name: A, name: B}] | 4:18: crew[0].name: duplicate field, first on line 4.
            ? [a, b]        | 4:3: a field name must be plain text.
            """)
    void are_reported_with_place_value_and_remedy(String line, String problem) {
      assertThat(problems(NAMED + line + "\n")).startsWith("ship.yaml:" + problem);
    }

    @Test
    void are_all_reported_at_once_in_reading_order() {
      assertThat(
              problems(
                  """
                  apiVersion: sea.example/v2
                  kind: Ship
                  name: ""
                  masts: 9
                  crew:
                    - name: Ann
                      dutty: cook
                    - duty: cook
                  masts: 2
                  """))
          .isEqualTo(
              """
              ship.yaml:1:13: apiVersion: "sea.example/v2" is not supported. Supported: apiVersion: sea.example/v1, kind: Ship.
              ship.yaml:3:7: name: "" is too short.
              ship.yaml:4:8: masts: 9 is too large: at most 7.
              ship.yaml:7:5: crew[0].dutty: unknown field. Did you mean `duty`?
              ship.yaml:8:5: crew[1].name: is missing.
              ship.yaml:9:1: masts: duplicate field, first on line 4.\
              """);
    }

    @Test
    void found_by_the_constructor_have_a_place() {
      assertThat(problems(NAMED + "masts: 1\narmed: true\n"))
          .isEqualTo("ship.yaml:1:1: a ship with one mast cannot be armed.");
    }

    @Test
    void in_lists_name_the_repeated_item() {
      assertThat(problems(NAMED + "crew:\n  - {name: A}\n  - {name: A}\n"))
          .isEqualTo("ship.yaml:6:5: crew[1]: a mapping is listed twice.");
    }

    @Test
    void show_long_and_many_lined_values_on_one_short_line() {
      String problem = problems(NAMED + "rig: |\n  one\n  " + "x".repeat(500) + "\n");

      assertThat(problem)
          .startsWith("ship.yaml:4:6: rig: \"one xxx")
          .doesNotContain("\n")
          .hasSizeLessThan(200);
    }
  }

  @Nested
  class Headers {

    @Test
    void are_required() {
      assertThat(problems("name: Resolute\nmasts: 9\n"))
          .isEqualTo(
              """
              ship.yaml:1:1: apiVersion: is missing. Supported: apiVersion: sea.example/v1, kind: Ship.
              ship.yaml:1:1: kind: is missing. Supported: apiVersion: sea.example/v1, kind: Ship.
              ship.yaml:2:8: masts: 9 is too large: at most 7.\
              """);
    }

    @Test
    void with_a_wrong_kind_of_value_are_reported_clearly() {
      assertThat(problems("apiVersion: apps/v1\nkind: Deployment\nspec: {}\n"))
          .isEqualTo(
              """
              ship.yaml:1:13: apiVersion: "apps/v1" is not supported. Supported: apiVersion: sea.example/v1, kind: Ship.
              ship.yaml:2:7: kind: "Deployment" is not supported. Supported: apiVersion: sea.example/v1, kind: Ship.\
              """);
    }

    @Test
    void choose_among_several_kinds() {
      FileKind<Ship> fleet =
          FileKind.of(
              new FileKind.Header("sea.example/v1", "Fleet"), Ship.class, "ship-v1.schema.json");
      StrictReader<Ship> both = new StrictReader<>(List.of(fleet, Ship.KIND));

      assertThat(both.read("s", NAMED.getBytes(UTF_8))).isInstanceOf(Loaded.Valid.class);
      assertThat(render(both.read("s", "apiVersion: sea.example/v1\nkind: Boat".getBytes(UTF_8))))
          .isEqualTo(
              "s:2:7: kind: \"Boat\" is not supported. Supported: apiVersion: sea.example/v1, "
                  + "kind: Fleet; apiVersion: sea.example/v1, kind: Ship.");
    }
  }

  @Nested
  class Paths {

    @TempDir private Path directory;

    @Test
    void name_the_file_in_problems() throws IOException {
      Path file = Files.writeString(directory.resolve("a.yaml"), HEADER);

      assertThat(render(READER.read(file))).isEqualTo(file + ":1:1: name: is missing.");
    }

    @Test
    void must_lead_to_a_regular_file() {
      assertThat(render(READER.read(directory))).startsWith(directory + ": is not a regular file.");
      Path none = directory.resolve("none.yaml");
      assertThat(render(READER.read(none))).isEqualTo(none + ": no such file.");
    }

    @Test
    void must_lead_to_a_small_file() throws IOException {
      Path file = directory.resolve("big.yaml");
      Files.writeString(file, NAMED + "#".repeat(StrictReader.MOST_BYTES - NAMED.length()));
      assertThat(READER.read(file)).isInstanceOf(Loaded.Valid.class);

      Files.writeString(file, NAMED + "#".repeat(StrictReader.MOST_BYTES - NAMED.length() + 1));
      assertThat(render(READER.read(file))).startsWith(file + ": is larger than 1 MiB.");
    }
  }
}
