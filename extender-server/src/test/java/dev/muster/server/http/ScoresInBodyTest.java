package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ScoresInBodyTest {
  /// Shorter and longer than the words of eight bytes that are read at once.
  @Provide
  Arbitrary<String> names() {
    return Arbitraries.strings().withChars("ab-.9").ofMinLength(1).ofMaxLength(30);
  }

  @Property(tries = 300)
  void eachNameThatIsNotAmongTheWorstHasAScoreInTheOrderOffered(
      @ForAll List<@From("names") String> names, @ForAll Set<@From("names") String> others) {
    Set<String> worst =
        names.stream().filter(name -> name.length() % 2 == 0).collect(Collectors.toSet());
    worst.addAll(others);

    assertThat(scores(names, worst)).isEqualTo(expected(names, worst));
  }

  @Test
  void aNameLongerThanAllRoomIsWrittenWhole() {
    List<String> names = List.of("a", "b".repeat(5_000), "c");

    assertThat(scores(names, Set.of("a"))).isEqualTo(expected(names, Set.of("a")));
  }

  @Test
  void manyShortNamesMayTakeMoreThanTheirRoom() {
    List<String> names = Collections.nCopies(1_000, "n");

    assertThat(scores(names, Set.of())).isEqualTo(expected(names, Set.of()));
  }

  @Test
  void noNamesHaveNoScores() {
    assertThat(scores(List.of(), Set.of())).isEqualTo("[]");
  }

  @Test
  void namesThatNoNodeHasAreLeftToTheWriterOfAllOthers() {
    List<String> names = List.of("a", "Node_1", "long-enough-for-a-word!");

    assertThat(ScoresInBody.of(inBody(names), NameSet.EMPTY)).isEmpty();
    assertThat(scores(names, Set.of("a"))).isEqualTo(expected(names, Set.of("a")));
  }

  private static String scores(List<String> names, Set<String> worst) {
    byte[] json = ExtenderWriter.scores(new Scores(inBody(names), NameSet.of(worst)), Casing.GO);
    return new String(json, StandardCharsets.US_ASCII);
  }

  private static NamesInBody inBody(List<String> names) {
    byte[] body =
        names.stream()
            .map(name -> '"' + name + '"')
            .collect(Collectors.joining(",", "[", "]}"))
            .getBytes(StandardCharsets.US_ASCII);
    return NamesInBody.take(body, new PlainCursor(body, 0)).orElseThrow();
  }

  private static String expected(List<String> names, Set<String> worst) {
    return names.stream()
        .filter(name -> !worst.contains(name))
        .map("{\"Host\":\"%s\",\"Score\":10}"::formatted)
        .collect(Collectors.joining(",", "[", "]"));
  }
}
