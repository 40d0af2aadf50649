package dev.muster.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// A list is recognised exactly if an expression that says what one is matches it.
class PlainListTest {
  private static final String STRING = "\"[ !#-+\\--?`-\\x7F]*\"";
  private static final Pattern LIST = Pattern.compile(STRING + "(," + STRING + ")*");
  private static final String PARTS =
      "\"\"\"\",,,abcdefg-.0\\[]{}: A\u0000\u001f\u007f\u0080\u00c3\u00ff";

  private static boolean isList(String list) {
    byte[] json = ("[" + list + "]}").getBytes(StandardCharsets.ISO_8859_1);
    return PlainList.isBetween(json, 1, json.length - 2);
  }

  private static void agrees(String list) {
    assertThat(isList(list)).as(list).isEqualTo(LIST.matcher(list).matches());
  }

  private static String some(Random random, String from, int most) {
    return random
        .ints(random.nextInt(most + 1), 0, from.length())
        .mapToObj(i -> from.substring(i, i + 1))
        .collect(Collectors.joining());
  }

  @Property(tries = 5_000)
  void anyTextIsJudgedRight(@ForAll long seed) {
    Random random = new Random(seed);
    agrees(some(random, PARTS, 24));
    agrees('"' + some(random, "\",", 6) + some(random, "a\",", 12) + '"');
  }

  @Property(tries = 5_000)
  void listsAreRecognisedUntilAByteIsWrong(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 3) int wounds) {
    Random random = new Random(seed);
    StringBuilder list =
        new StringBuilder(
            IntStream.rangeClosed(0, random.nextInt(8))
                .mapToObj(_ -> '"' + some(random, "abcdefg-.0", 20) + '"')
                .collect(Collectors.joining(",")));
    assertThat(isList(list.toString())).as(list.toString()).isTrue();
    for (int i = 0; i < wounds; i++) {
      list.setCharAt(random.nextInt(list.length()), PARTS.charAt(random.nextInt(PARTS.length())));
      agrees(list.toString());
    }
  }

  @Test
  void whatIsOnlyNearlyAList() {
    for (String list :
        new String[] {
          "",
          "\"",
          "\"\"",
          "\"\"\"",
          "\"\"\"\"",
          "\",\"",
          "\",\",\"",
          "\"\",\"\"",
          "\"a\",",
          ",\"a\"",
          "\"a\",,\"b\"",
          "\"a\" ,\"b\"",
          "\"a\"\"b\"",
          "\",\"a\"",
          "\"a\",\"",
          "\"a,b\"",
          "\"a\",\"\",\"b\"",
          "\"aa\",a,\"\""
        }) {
      agrees(list);
    }
  }

  @Test
  void noListIsTakenThatMayHoldAStringTooLongForTheFullReader() {
    assertThat(isList('"' + "a".repeat((4 << 20) - 2) + '"')).isTrue();
    assertThat(isList('"' + "a".repeat((4 << 20) - 1) + '"')).isFalse();
  }
}
