package dev.muster.policy.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.policy.yaml.FileProblem;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/// The reader answers every typing mistake in a valid file with places inside the file.
class StrictReaderPropertyTest {

  private static final StrictReader<Ship> READER = new StrictReader<>(List.of(Ship.KIND));
  private static final String GOOD =
      """
      apiVersion: sea.example/v1
      kind: Ship
      name: &n Resolute
      masts: 3   # of oak
      watch: 1h30m
      crew:
        - {name: *n, duty: "cook"}
        - name: |
            Ann
      flags: {stern: white, 'bow': red}
      """;

  @Property(tries = 1000)
  void any_typing_mistake_gets_an_answer(
      @ForAll @IntRange(max = 179) int at,
      @ForAll @IntRange(max = 12) int deleted,
      @ForAll("typed") String typed) {
    String text =
        GOOD.substring(0, at) + typed + GOOD.substring(Math.min(GOOD.length(), at + deleted));
    int lines = text.split("\\R", -1).length + 1; // YAML knows more line breaks than Java does

    switch (READER.read("ship.yaml", text.getBytes(UTF_8))) {
      case Loaded.Valid<Ship>(Ship ship, String _) -> assertThat(ship.masts()).isBetween(1, 7);
      case Loaded.Invalid<Ship>(List<FileProblem> problems) ->
          assertThat(problems)
              .isNotEmpty()
              .isSorted()
              .allSatisfy(problem -> assertThat(problem.line()).isBetween(0, lines))
              .allSatisfy(problem -> assertThat(problem.render()).doesNotContain("\n", "null"));
    }
  }

  @Provide
  Arbitrary<String> typed() {
    return Arbitraries.oneOf(
        Arbitraries.strings().withChars(" \n\t:-{}[]\"'#&*!|>?,%@`~a1").ofMaxLength(8),
        Arbitraries.strings().ofMaxLength(4));
  }
}
