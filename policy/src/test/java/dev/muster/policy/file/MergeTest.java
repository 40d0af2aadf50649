package dev.muster.policy.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import dev.muster.policy.file.Ship.Sailor;
import dev.muster.policy.yaml.FieldFault;
import dev.muster.policy.yaml.FileProblem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Several files are merged into one value.
class MergeTest {
  private static final String HEADER = "apiVersion: sea.example/v1\nkind: Ship\n";
  private static final FileKind<Ship> WITH_CREW_LISTS =
      FileKind.of(
          new FileKind.Header("sea.example/v1", "Ship"), Ship.class, "fleet-v1.schema.json");

  private static Loaded<Ship> together(FileKind<Ship> kind, String... texts) {
    SequencedMap<String, byte[]> files = new LinkedHashMap<>();
    for (String text : texts) {
      files.put("f" + files.size() + ".yaml", (HEADER + text).getBytes(UTF_8));
    }
    return new StrictReader<>(List.of(kind)).together(files);
  }

  private static Ship value(Loaded<Ship> loaded) {
    if (loaded instanceof Loaded.Valid<Ship>(Ship ship, String _)) {
      return ship;
    }
    throw new AssertionError(loaded.toString());
  }

  private static List<String> problems(Loaded<Ship> loaded) {
    return loaded instanceof Loaded.Invalid<Ship>(List<FileProblem> problems)
        ? problems.stream().map(FileProblem::render).toList()
        : List.of();
  }

  @Test
  void fields_are_merged_and_defaults_fill_the_rest() {
    Ship ship =
        value(
            together(
                WITH_CREW_LISTS,
                "name: Resolute\nflags: {fore: red}",
                "masts: 2\nflags: {aft: blue}"));

    assertThat(ship.masts()).isEqualTo(2);
    assertThat(ship.rig()).isEqualTo("brig");
    assertThat(ship.flags()).containsOnlyKeys("fore", "aft");
  }

  @Test
  void marked_lists_are_concatenated_in_file_order() {
    Ship ship =
        value(
            together(
                WITH_CREW_LISTS, "name: Resolute\ncrew: [{name: Ann}]", "crew: [{name: Ben}]"));

    assertThat(ship.crew())
        .containsExactly(new Sailor("Ann", "sailor"), new Sailor("Ben", "sailor"));
  }

  @Test
  void other_field_set_twice_is_a_conflict_with_both_places() {
    assertThat(problems(together(WITH_CREW_LISTS, "name: A\nmasts: 2", "rig: brig\nmasts: 2")))
        .containsExactly(
            "f1.yaml:4:1: masts: is already set, at masts in f0.yaml:4:8. Files do not override each other.");
  }

  @Test
  void unmarked_lists_conflict_too() {
    assertThat(problems(together(Ship.KIND, "name: A\ncrew: [{name: Ann}]", "crew: [{name: Ben}]")))
        .anyMatch(problem ->
            problem.startsWith("f1.yaml:3:1: crew: is already set, at crew in f0.yaml:4:7."));
  }

  @Test
  void name_is_unique_in_all_files() {
    assertThat(
            problems(
                together(
                    WITH_CREW_LISTS,
                    "name: A\ncrew: [{name: Ann}]",
                    "crew:\n  - {name: Ben}\n  - {name: Ann}")))
        .containsExactly(
            "f1.yaml:5:12: crew[1].name: \"Ann\" is already the name of crew[0].name in f0.yaml:4:15.");
  }

  @Test
  void problems_of_all_files_are_reported_at_once() {
    assertThat(problems(together(WITH_CREW_LISTS, "name: A\nmast: 2", "rigg: brig", "masts: 99")))
        .extracting(problem -> problem.substring(0, problem.indexOf(':')))
        .containsExactly("f0.yaml", "f1.yaml", "f2.yaml");
  }

  @Test
  void revision_of_several_files_is_that_of_their_listing() {
    // sha256sum f0.yaml f1.yaml | sha256sum | cut -c1-12
    assertThat(together(WITH_CREW_LISTS, "name: A\n", "masts: 2\n"))
        .hasFieldOrPropertyWithValue("revision", "9a94683aa580");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name: a bcd",
        "name: 'a bcd'",
        "name: \"a bcd\"",
        "name: |\n  a bcd\n",
        "name: >-\n  a\n  bcd",
        "name: \"a\\\n   \\ bcd\"",
      })
  void problems_inside_a_text_have_its_line_and_column(String text) {
    FileKind<Ship> fussy =
        Ship.KIND.faultedBy(_ -> List.of(new FieldFault(JsonPointer.compile("/name"), 3, "no c")));
    FileProblem only = ((Loaded.Invalid<Ship>) together(fussy, text)).problems().getFirst();
    String[] lines = (HEADER + text).split("\n", -1);

    assertThat(lines[only.line() - 1].charAt(only.column() - 1)).isEqualTo('c');
  }
}
