package dev.muster.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Sentences counts the words of sentences in Markdown pages and in doc comments of Java files.
///
/// It uses only the JDK, so it also runs as a single source file: `docs/sentences` does so and
/// prints the figures of the whole repository. [TidyRules] holds the pages to the limits below.
///
/// A sentence ends with `.`, `!` or `?` before a space, or at the end of a paragraph or list item.
/// A code span and a link are read as their text; a code span is one word. Headings and code blocks
/// do not count. Cells of tables are reported apart, since most of them are fragments.
final class Sentences {
  /// The most words that the median sentence of a page may have.
  static final int MEDIAN = 16;

  /// The most words that nine tenths of the sentences of a page may have.
  static final int NINE_TENTHS = 28;

  /// The most characters in a line of a page, outside of code, tables and links.
  static final int LINE = 120;

  /// The most words in the first sentence of a doc comment.
  static final int FIRST_SENTENCE = 20;

  private static final Pattern FENCE = Pattern.compile("\\s*(```|~~~).*");
  private static final Pattern TABLE = Pattern.compile("\\s*\\|.*");
  private static final Pattern HEADING = Pattern.compile("#{1,6} .*");
  private static final Pattern ITEM = Pattern.compile("(\\s*)([-*+]|\\d+\\.)\\s+(.*)");
  private static final Pattern CODE = Pattern.compile("`+[^`]+`+");
  private static final Pattern LINK =
      Pattern.compile("!?\\[([^\\]]*)\\](\\([^)]*\\)|\\[[^\\]]*\\])?");
  private static final Pattern ADDRESS = Pattern.compile("\\]\\([^)]*\\)|https?://\\S+");
  private static final Pattern END =
      Pattern.compile(
          "(?<=[.!?])(?<!\\b(e\\.g|i\\.e|vs|cf|al)\\.)[\\])*_\"]*\\s+(?=[^a-z\\s]|[a-z]+-)");
  private static final Pattern WORD = Pattern.compile(".*[\\p{L}\\p{N}].*");
  private static final Pattern ODD_WORDS =
      Pattern.compile("\\b(who|whoever|whom|lest|anew)\\b", Pattern.CASE_INSENSITIVE);
  private static final Pattern GAP = Pattern.compile("[\\s|]+");

  private Sentences() {}

  /// Page holds the sentences of one Markdown page and its longest line of prose.
  ///
  /// @param sentences of paragraphs and list items
  /// @param cells sentences in cells of tables
  /// @param longest characters of the longest line outside of code, tables and links
  record Page(List<String> sentences, List<String> cells, int longest) {
    /// Returns the number of words that this share of the sentences does not exceed.
    int words(double share) {
      return percentile(sentences, share);
    }

    /// Returns one line for each limit that the page breaks.
    List<String> complaints() {
      List<String> found = new ArrayList<>();
      if (words(0.5) > MEDIAN) {
        found.add("median sentence of " + words(0.5) + " words, more than " + MEDIAN);
      }
      if (words(0.9) > NINE_TENTHS) {
        found.add(
            "a tenth of the sentences have " + words(0.9) + " words, more than " + NINE_TENTHS);
      }
      if (longest > LINE) {
        found.add("a line of " + longest + " characters, more than " + LINE);
      }
      return found;
    }
  }

  /// Reads the sentences of one page.
  static Page page(List<String> lines) {
    List<String> prose = new ArrayList<>();
    List<String> cells = new ArrayList<>();
    StringBuilder block = new StringBuilder();
    boolean code = false;
    int longest = 0;
    for (String line : lines) {
      boolean fence = FENCE.matcher(line).matches();
      boolean table = TABLE.matcher(line).matches();
      if (!fence && !code && !table) {
        longest = Math.max(longest, ADDRESS.matcher(line).replaceAll("]").length());
      }
      boolean heading = HEADING.matcher(line).matches();
      Matcher item = ITEM.matcher(line);
      boolean begins = item.matches();
      if (fence || code || table || heading || begins || line.isBlank()) {
        prose.addAll(split(block.toString()));
        block.setLength(0);
      }
      if (table && !code) {
        for (String cell : plain(line).split("\\|", -1)) {
          cells.addAll(split(cell));
        }
      } else if (!fence && !code && !heading) {
        block.append(begins ? item.group(3) : line.strip()).append(' ');
      }
      code ^= fence;
    }
    prose.addAll(split(block.toString()));
    return new Page(prose, cells, longest);
  }

  /// Returns the first sentence of each doc comment of a Java file.
  static List<String> firstSentences(List<String> lines) {
    List<String> found = new ArrayList<>();
    StringBuilder comment = new StringBuilder();
    boolean block = false;
    for (String line : lines) {
      String text = line.strip();
      block |= text.startsWith("/**");
      if (block) {
        comment.append(text.replaceAll("^/?\\*+ ?|\\*/.*", "")).append('\n');
        block = !text.contains("*/");
      } else if (text.startsWith("///")) {
        comment.append(text.substring(3)).append('\n');
      } else {
        first(comment.toString(), found);
        comment.setLength(0);
      }
    }
    return found;
  }

  private static void first(String comment, List<String> found) {
    String paragraph = comment.strip().split("\n\\s*\n|\n\\s*[@#|-]", 2)[0];
    String text = paragraph.replaceAll("\\{@\\w+ ([^}]*)\\}", "`$1`").replaceAll("\\s+", " ");
    if (!text.startsWith("@")) {
      split(text).stream().findFirst().ifPresent(found::add);
    }
  }

  /// Returns what of a first sentence breaks the rules, or nothing.
  static List<String> complaints(String sentence) {
    List<String> found = new ArrayList<>();
    if (words(sentence) > FIRST_SENTENCE) {
      found.add(words(sentence) + " words before the first full stop: " + sentence);
    }
    if (sentence.startsWith("The same")) {
      found.add("begins with The same: " + sentence);
    }
    return found;
  }

  /// Counts the words of a sentence.
  static int words(String sentence) {
    return (int)
        Stream.of(sentence.split("\\s+", -1)).filter(word -> WORD.matcher(word).matches()).count();
  }

  private static String plain(String text) {
    String spans =
        CODE.matcher(text)
            .replaceAll(
                span -> Matcher.quoteReplacement(GAP.matcher(span.group()).replaceAll("_")));
    return LINK.matcher(spans).replaceAll("$1").replace("**", "");
  }

  private static List<String> split(String text) {
    return Stream.of(END.split(plain(text).strip(), -1))
        .filter(sentence -> words(sentence) > 0)
        .toList();
  }

  private static int percentile(List<String> sentences, double share) {
    int[] sorted = sentences.stream().mapToInt(Sentences::words).sorted().toArray();
    return sorted.length == 0
        ? 0
        : sorted[(int) Math.min(sorted.length - 1, share * sorted.length)];
  }

  private static List<Path> files(Path root, String suffix) throws IOException {
    Pattern skipped = Pattern.compile("(.*/)?(target|\\.git|node_modules)(/.*)?");
    try (Stream<Path> walk = Files.walk(root)) {
      return walk.map(root::relativize)
          .filter(path -> path.toString().endsWith(suffix))
          .filter(path -> !skipped.matcher(path.toString()).matches())
          .sorted()
          .toList();
    }
  }

  /// Prints the figures of a repository.
  ///
  /// @param args the top folder, then optionally a file whose sentences are printed with their
  ///   words
  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    if (args.length > 1) {
      List<String> lines = Files.readAllLines(Path.of(args[1]));
      boolean java = args[1].endsWith(".java");
      List<String> sentences = java ? firstSentences(lines) : page(lines).sentences();
      sentences.forEach(each -> System.out.printf("%3d  %s%n", words(each), each));
      return;
    }
    System.out.printf(
        "%-62s %9s %6s %5s %5s %6s %s%n",
        "page", "sentences", "median", "p90", "line", "cells", "cells p90");
    List<String> all = new ArrayList<>();
    for (Path file : files(root, ".md")) {
      Page page = page(Files.readAllLines(root.resolve(file)));
      all.addAll(page.sentences());
      System.out.printf(
          "%-62s %9d %6d %5d %5d %6d %9d%s%n",
          file,
          page.sentences().size(),
          page.words(0.5),
          page.words(0.9),
          page.longest(),
          page.cells().size(),
          percentile(page.cells(), 0.9),
          page.complaints().isEmpty() ? "" : "  <-");
    }
    System.out.printf(
        "%-62s %9d %6d %5d%n%n",
        "all pages", all.size(), percentile(all, 0.5), percentile(all, 0.9));
    System.out.printf(
        "%-40s %9s %6s %5s %9s %9s %9s %9s%n",
        "first sentences in",
        "comments",
        "median",
        "p90",
        "over " + FIRST_SENTENCE,
        "The same",
        "Whether",
        "odd words");
    for (String part : List.of("main", "test")) {
      List<String> found = new ArrayList<>();
      for (Path file : files(root, ".java")) {
        if (file.toString().contains("/src/" + part + "/")) {
          found.addAll(firstSentences(Files.readAllLines(root.resolve(file))));
        }
      }
      System.out.printf(
          "%-40s %9d %6d %5d %9s %9s %9s %9s%n",
          "*/src/" + part + "/**.java",
          found.size(),
          percentile(found, 0.5),
          percentile(found, 0.9),
          share(found, each -> words(each) > FIRST_SENTENCE),
          share(found, each -> each.startsWith("The same")),
          share(found, each -> each.startsWith("Whether")),
          share(found, each -> ODD_WORDS.matcher(each).find()));
    }
  }

  private static String share(List<String> sentences, Predicate<String> chosen) {
    long count = sentences.stream().filter(chosen).count();
    return String.format(Locale.ROOT, "%.1f %%", 100.0 * count / Math.max(1, sentences.size()));
  }
}
