package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The repository is tidy, and [TidyRules] reports every kind of violation.
final class TidyTest {
  /// The folder that holds .mvn, at or above the one the test runs in.
  private static Path repository() {
    return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
        .filter(folder -> Files.isDirectory(folder.resolve(".mvn")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void repository_is_tidy() throws IOException {
    var tidy = new TidyRules(repository());
    assertThat(tidy.files())
        .contains(repository().resolve("pom.xml"), repository().resolve("muster"));
    assertThat(tidy.complaints()).isEmpty();
  }

  @Test
  void every_kind_of_violation_is_reported(@TempDir Path root) throws IOException {
    Files.writeString(root.resolve("Long.java"), "// a line\n".repeat(351));
    Path room = Files.createDirectories(root.resolve("m/src/main/java/room"));
    Files.writeString(room.resolve("package-info.java"), "@NullMarked\n");
    for (int i = 0; i < 23; i++) {
      Files.writeString(room.resolve("Class" + i + ".java"), "class Class" + i + " {}\n");
    }
    Files.writeString(
        room.resolve("Class0.java"),
        "/// " + "word ".repeat(21) + ". More.\nint a;\n\n/// The same of b.\nint b;\n");
    Files.writeString(root.resolve("Class1.java"), "class Class1 {}\n");
    Files.writeString(
        root.resolve("notes.md"), "a\tb\nend \n" + "FIX" + "ME later\nsee /wor" + "k/main\n");
    Files.writeString(root.resolve("fine.md"), "frame" + "work/ is no such path\n");
    Files.writeString(
        root.resolve("prose.md"),
        "| a table may be wide |" + " ".repeat(100) + "|\n\n" + "word ".repeat(29) + "word.\n");
    Files.writeString(root.resolve("half.md"), "<".repeat(7) + " HEAD\n=======\n");
    Files.createDirectories(root.resolve("target"));
    Files.writeString(root.resolve("target/skipped.md"), "end \n");
    assertThat(new TidyRules(root).complaints())
        .containsExactly(
            "Class1.java: its package has no package-info.java with @NullMarked",
            "Long.java: 351 lines, more than 350",
            "Long.java: its package has no package-info.java with @NullMarked",
            "half.md:1: merge conflict",
            "m/src/main/java/room/Class0.java: 21 words before the first full stop: "
                + "word ".repeat(21)
                + ".",
            "m/src/main/java/room/Class0.java: begins with The same: The same of b.",
            "notes.md:1: tab",
            "notes.md:2: white space at the end",
            "notes.md:3: unfinished work marked",
            "notes.md:4: path of somebody's machine",
            "prose.md: median sentence of 30 words, more than 16",
            "prose.md: a tenth of the sentences have 30 words, more than 28",
            "prose.md: a line of 150 characters, more than 120",
            "m/src/main/java/room/Class1.java: named like Class1.java",
            "m/src/main/java/room: 23 files, more than 22");
  }

  @Test
  void sentences_of_pages_are_counted() {
    Sentences.Page page =
        Sentences.page(
            List.of(
                "# A heading does not count",
                "One sentence. A `code span` is one word,",
                "e.g. here!",
                "- an item is a sentence",
                "",
                "```",
                "Code does not count.",
                "```",
                "| a cell |",
                "A [link](https://example.com/that-is-long) is its text."));
    assertThat(page.sentences())
        .containsExactly(
            "One sentence.",
            "A `code_span` is one word, e.g. here!",
            "an item is a sentence",
            "A link is its text.");
    assertThat(page.cells()).containsExactly("a cell");
    assertThat(page.longest()).isEqualTo(40);
  }

  @Test
  void first_sentences_of_doc_comments_are_found() {
    assertThat(
            Sentences.firstSentences(
                List.of(
                    "/// Markdown comments are read",
                    "/// over lines. The rest is not.",
                    "record A() {",
                    "  /** Old ones too, with {@link A}. */",
                    "  int a;",
                    "  /// @param b has no sentence of its own",
                    "  // no doc comment",
                    "  void b() {}",
                    "}")))
        .containsExactly("Markdown comments are read over lines.", "Old ones too, with `A`.");
  }
}
