package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class NameSetTest {
  /// Few signs make many names that are alike.
  @Provide
  Arbitrary<String> names() {
    return Arbitraries.strings().withChars("ab-0\u00e9").ofMaxLength(20);
  }

  @Property(tries = 300)
  void holdsWhatWasPutInAndNothingElse(
      @ForAll("names") String asked, @ForAll Set<@From("names") String> names) {
    NameSet set = NameSet.of(names);

    assertThat(set.contains(asked)).isEqualTo(names.contains(asked));
    assertThat(names).allMatch(set::contains);
  }

  @Property(tries = 300)
  void findsANameInTheMiddleOfOtherBytes(
      @ForAll("names") String before, @ForAll("names") String name, @ForAll("names") String after) {
    int from = before.getBytes(StandardCharsets.UTF_8).length;
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    byte[] text = (before + name + after).getBytes(StandardCharsets.UTF_8);

    assertThat(NameSet.of(List.of(name)).contains(text, from, from + length)).isTrue();
  }

  @Test
  void theEmptySetHoldsNothing() {
    assertThat(NameSet.EMPTY.contains("")).isFalse();
  }
}
