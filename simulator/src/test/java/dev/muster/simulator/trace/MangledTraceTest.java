package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.simulator.file.BadFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// Whatever became of a trace, it is read, or refused with the name of its file.
final class MangledTraceTest {
  private static final List<String> SAMPLES =
      List.of(
          "acme-converted.csv",
          "acme.csv",
          "alibaba-v2020.csv",
          "alibaba-v2025.csv",
          "alibaba-v2026.csv",
          "batsim.json",
          "helios.csv",
          "muri.csv",
          "muster.jsonl",
          "nasa-like.swf",
          "openb-short.csv",
          "openb.csv",
          "philly.csv",
          "philly.json",
          "tiresias.csv");

  private static final List<String> HOSTILE =
      List.of(
          "",
          "-1",
          "0",
          "1e999999999",
          "1e-999999999",
          "-0.0000000001",
          "2147483647",
          "9223372036854775807",
          "99999999999999999999",
          "NaN",
          "null",
          "true",
          "\"",
          "{",
          "[",
          "]",
          ",",
          "\n",
          "\\u0000",
          "\u0000",
          "ü",
          "9999-12-31 23:59:59",
          "0000-00-00 00:00:00",
          "x".repeat(5000),
          "7".repeat(5000));

  private static final Pattern WORD = Pattern.compile("[\\w.:-]+");

  @Property(tries = 1000)
  void isReadOrRefused(@ForAll long seed) throws IOException {
    Random random = new Random(seed);
    String sample = SAMPLES.get(random.nextInt(SAMPLES.size()));
    Path file = Files.createTempFile("mangled", sample.substring(sample.indexOf('.')));
    try {
      Files.write(file, mangled(Files.readString(Samples.file(sample)), random));
      Samples.jobs(file, random.nextBoolean() ? TraceOptions.DEFAULT : Samples.skippingBad());
    } catch (BadFile bad) {
      assertThat(bad).hasMessageStartingWith(file.toString());
    } finally {
      Files.delete(file);
    }
  }

  private static byte[] mangled(String text, Random random) {
    String mangled = text;
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      mangled = changed(mangled, random);
    }
    byte[] bytes = mangled.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0 && random.nextInt(5) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }

  private static String changed(String text, Random random) {
    String hostile = HOSTILE.get(random.nextInt(HOSTILE.size()));
    List<MatchResult> words = WORD.matcher(text).results().toList();
    int from = random.nextInt(text.length() + 1);
    int to = Math.min(text.length(), from + random.nextInt(40));
    return switch (words.isEmpty() ? 3 : random.nextInt(5)) {
      case 0, 1 -> {
        MatchResult word = words.get(random.nextInt(words.size()));
        yield text.substring(0, word.start()) + hostile + text.substring(word.end());
      }
      case 2 -> text.substring(0, from) + text.substring(to);
      case 3 -> text.substring(0, from) + hostile + text.substring(from);
      default -> text.substring(0, to) + text.substring(from);
    };
  }
}
