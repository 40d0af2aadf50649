package dev.muster.policy.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Text that is not one YAML document is refused, and no text exhausts memory or time.
class HostileFilesTest extends StrictReaderFiles {
  @Nested
  class NotOneDocument {

    @ParameterizedTest
    @CsvSource({"''", "'# only a comment\n'", "'---\n'", "'   \n\n'"})
    void empty_files_are_refused(String text) {
      assertThat(problems(text))
          .isEqualTo("ship.yaml: is empty. Supported: apiVersion: sea.example/v1, kind: Ship.");
    }

    @Test
    void list_is_refused() {
      assertThat(problems("- a\n"))
          .isEqualTo(
              "ship.yaml:1:1: the file must be a mapping of fields. "
                  + "Supported: apiVersion: sea.example/v1, kind: Ship.");
    }

    @Test
    void second_document_is_refused_and_the_first_is_checked() {
      assertThat(problems(NAMED + "masts: 9\n---\nkind: Ship\n"))
          .isEqualTo(
              """
              ship.yaml:4:8: masts: 9 is too large: at most 7.
              ship.yaml:6:1: a second document starts here. A file may hold only one.\
              """);
    }
  }

  @Nested
  class NotYaml {

    @Test
    void tab_is_refused() {
      assertThat(problems(NAMED + "flags:\n\ta: b\n"))
          .isEqualTo("ship.yaml:5:1: is not YAML: a tab is not allowed here. Indent with spaces.");
    }

    @Test
    void superfluous_colon_is_refused() {
      assertThat(problems(NAMED + "rig: brig: two\n"))
          .isEqualTo(
              "ship.yaml:4:10: is not YAML: a colon is not allowed here. "
                  + "The value needs quotes, or the indentation is wrong.");
    }

    @Test
    void open_bracket_is_refused() {
      assertThat(problems(NAMED + "crew: [a\n")).startsWith("ship.yaml:5:1: is not YAML: ");
    }

    @Test
    void unknown_alias_is_refused() {
      assertThat(problems(NAMED + "rig: *none\n")).startsWith("ship.yaml:4:6: is not YAML: ");
    }

    @Test
    void control_character_is_refused() {
      assertThat(problems(NAMED + "rig: \u0001\n"))
          .isEqualTo("ship.yaml:4:6: the character U+0001 is not allowed in YAML.");
    }

    @Test
    void bytes_that_are_not_text_are_refused_with_their_place() {
      byte[] text = (NAMED + "rig: äx# ö\n").getBytes(StandardCharsets.ISO_8859_1);
      assertThat(render(READER.read("ship.yaml", text)))
          .isEqualTo(
              "ship.yaml:4:6: is not UTF-8 text: the byte 0xE4 is not allowed here. Save the file as UTF-8.");
    }

    @Test
    void cut_character_is_refused_with_its_place() {
      assertThat(render(READER.read("ship.yaml", new byte[] {(byte) 0xE4, 'a'})))
          .startsWith("ship.yaml:1:1: is not UTF-8 text: the byte 0xE4");
      assertThat(render(READER.read("ship.yaml", new byte[] {'a', (byte) 0xC3})))
          .startsWith("ship.yaml:1:2: is not UTF-8 text: the byte 0xC3");
    }
  }

  @Nested
  class Dangers {

    @Test
    void deep_nesting_is_refused() {
      assertThat(problems(NAMED + "crew: " + "[".repeat(10_000)))
          .isEqualTo(
              "ship.yaml:4:57: is not safe to read: more than 50 levels of lists and mappings.");
    }

    @Test
    void multiplying_aliases_are_refused() {
      StringBuilder bomb = new StringBuilder(NAMED).append("a0: &a0 [x, x, x]\n");
      for (int i = 1; i < 16; i++) {
        bomb.append("a%d: &a%d [*a%d, *a%d, *a%d]\n".formatted(i, i, i - 1, i - 1, i - 1));
      }
      assertThat(problems(bomb.toString()))
          .matches(
              "ship.yaml:\\d+:\\d+: is not safe to read: more than 50000 values or 50 levels after following aliases\\.");
    }

    @Test
    void many_aliases_are_refused_with_the_place_of_the_first_too_many() {
      assertThat(problems(NAMED + "a: &a [x]\nb: [" + "*a, ".repeat(60) + "]\n"))
          .isEqualTo(
              "ship.yaml:5:205: is not safe to read: more than 50 aliases (*) of lists and mappings.");
    }

    @Test
    void many_problems_are_cut() {
      StringBuilder text = new StringBuilder(NAMED);
      for (int i = 0; i < 5_000; i++) {
        text.append("k%04d: 1\n".formatted(i));
      }
      assertThat(problems(text.toString()).lines())
          .hasSize(51)
          .last()
          .isEqualTo("ship.yaml:54:1: and 4950 more problems from here on.");
    }

    @Test
    @Timeout(60)
    void long_numbers_names_and_values_are_read_quickly() {
      String digits = "7".repeat(100_000);

      assertThat(problems(NAMED + "masts: " + digits)).contains("must be a whole number");
      assertThat(problems(NAMED + "masts: !!int " + digits)).contains("is not a number");
      assertThat(problems(NAMED + "watch: " + digits + "m")).hasSizeLessThan(200);
      assertThat(problems(NAMED + "rig: " + digits)).contains("is not known");
      assertThat(problems(NAMED + "rig: x" + digits)).contains("is not known");
      assertThat(problems(NAMED + "? x" + digits + "\n: 1\n")).contains("unknown field");
    }

    @Test
    @Timeout(60)
    void long_lists_are_read_quickly() {
      assertThat(problems(NAMED + "crew:\n" + "  - {name: Ann}\n".repeat(10_000)))
          .isEqualTo("ship.yaml:6:5: crew[1]: a mapping is listed twice.");
    }

    @Test
    @Timeout(60)
    void long_names_above_many_values_use_little_memory() {
      String values = "[" + "1,".repeat(45_000) + "1]";
      String nested = ("{" + "x".repeat(1_000) + ": ").repeat(40) + values + "}".repeat(40);

      for (String text : List.of("? " + "x".repeat(900_000) + "\n: " + values, "x: " + nested)) {
        assertThat(problems(NAMED + text + "\n")).contains("field names that are too long.");
      }
    }

    @Test
    void alias_to_itself_is_refused() {
      assertThat(problems(NAMED + "crew: &c [*c]\n"))
          .startsWith("ship.yaml:4:7: is not safe to read: more than 50000 values or 50 levels");
    }

    @Test
    void invalid_tag_is_a_problem_of_its_value() {
      assertThat(problems(NAMED + "rig: !%20 brig\n"))
          .isEqualTo(
              "ship.yaml:4:6: has an invalid tag: Tag must not contain leading or trailing spaces. Put a value in quotes if it begins with \"!\".");
    }

    @Test
    void tags_construct_no_objects() {
      assertThat(problems(NAMED + "crew: !!java.util.ArrayList []\n"))
          .isEqualTo(
              "ship.yaml:4:7: crew: the tag \"tag:yaml.org,2002:java.util.ArrayList\" is not "
                  + "supported.");
    }
  }
}
