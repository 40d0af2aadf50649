package dev.muster.deploy;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// The text rules of the whole repository that no compiler checks. Each complaint is one line with
/// place, problem and number.
///
/// @param root the top folder of the repository
record TidyRules(Path root) {
  private static final int MAX_JAVA_LINES = 350;
  private static final int MAX_FILES_IN_PACKAGE = 22;
  private static final Set<String> SKIPPED_FOLDERS =
      Set.of("target", ".git", ".idea", ".vscode", "node_modules");
  private static final Set<String> NOT_OURS = Set.of("mvnw", "mvnw.cmd");
  private static final Pattern TEXT =
      Pattern.compile(
          ".*\\.(java|xml|ya?ml|md|sh|json|properties|html|css|js|go|config)|muster|run|sentences|Dockerfile");
  private static final Pattern MARKER = Pattern.compile("\\b(FIX" + "ME|XX" + "X)\\b");
  private static final Pattern MACHINE_PATH = Pattern.compile("(?<![\\w/.])/wor" + "k/");
  private static final Pattern CONFLICT = Pattern.compile("^(<{7}|>{7})( |$)");
  private static final Pattern TRAILING = Pattern.compile("[ \\t]$");

  /// Everything that is untidy, in the order of the paths; empty when all is well.
  List<String> complaints() throws IOException {
    var found = new ArrayList<String>();
    List<Path> files = files();
    for (Path file : files) {
      complain(file, found);
    }
    complainOfNames(files, found);
    complainOfPackages(files, found);
    return found;
  }

  /// Every text file of ours, sorted.
  List<Path> files() throws IOException {
    var files = new ArrayList<Path>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean skipped = SKIPPED_FOLDERS.contains(folder.getFileName().toString());
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if (attributes.isRegularFile()
                && TEXT.matcher(name).matches()
                && !NOT_OURS.contains(name)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    files.sort(null);
    return files;
  }

  private void complain(Path file, List<String> found) throws IOException {
    String name = root.relativize(file).toString();
    List<String> lines = Files.readAllLines(file);
    if (name.endsWith(".java") && lines.size() > MAX_JAVA_LINES) {
      found.add(name + ": " + lines.size() + " lines, more than " + MAX_JAVA_LINES);
    }
    if (name.endsWith(".java") && !packageIsNullMarked(file)) {
      found.add(name + ": its package has no package-info.java with @NullMarked");
    }
    if (name.contains("/src/main/java/")) {
      for (String sentence : Sentences.firstSentences(lines)) {
        Sentences.complaints(sentence).forEach(each -> found.add(name + ": " + each));
      }
    }
    if (name.endsWith(".md")) {
      Sentences.page(lines).complaints().forEach(each -> found.add(name + ": " + each));
    }
    if (!name.endsWith(".go")) {
      report(name, lines, line -> line.indexOf('\t') >= 0, "tab", found);
    }
    report(name, lines, line -> TRAILING.matcher(line).find(), "white space at the end", found);
    report(name, lines, line -> MARKER.matcher(line).find(), "unfinished work marked", found);
    report(name, lines, line -> CONFLICT.matcher(line).find(), "merge conflict", found);
    report(
        name,
        lines,
        line -> MACHINE_PATH.matcher(line).find(),
        "path of somebody's machine",
        found);
  }

  /// A reader finds a type by its name alone, so no two files define types of one name.
  private void complainOfNames(List<Path> files, List<String> found) {
    var firsts = new TreeMap<String, Path>();
    for (Path file : files) {
      String name = file.getFileName().toString();
      if (name.endsWith(".java") && !name.equals("package-info.java")) {
        Path first = firsts.putIfAbsent(name, file);
        if (first != null) {
          found.add(root.relativize(file) + ": named like " + root.relativize(first));
        }
      }
    }
  }

  /// A package of the main code can be read in one sitting.
  private void complainOfPackages(List<Path> files, List<String> found) {
    var sizes = new TreeMap<Path, Integer>();
    for (Path file : files) {
      String name = root.relativize(file).toString();
      if (name.contains("/src/main/java/")
          && name.endsWith(".java")
          && !name.endsWith("package-info.java")) {
        sizes.merge(root.relativize(file).getParent(), 1, Integer::sum);
      }
    }
    sizes.forEach((folder, size) -> {
      if (size > MAX_FILES_IN_PACKAGE) {
        found.add(folder + ": " + size + " files, more than " + MAX_FILES_IN_PACKAGE);
      }
    });
  }

  private static void report(
      String name, List<String> lines, Predicate<String> untidy, String what, List<String> found) {
    for (int i = 0; i < lines.size(); i++) {
      if (untidy.test(lines.get(i))) {
        found.add(name + ":" + (i + 1) + ": " + what);
      }
    }
  }

  /// A test in a package of the main code is covered by the package-info there.
  private static boolean packageIsNullMarked(Path file) throws IOException {
    Path beside = file.resolveSibling("package-info.java");
    Path inMain = Path.of(beside.toString().replace("/src/test/java/", "/src/main/java/"));
    for (Path candidate : List.of(beside, inMain)) {
      if (Files.exists(candidate) && Files.readString(candidate).contains("@NullMarked")) {
        return true;
      }
    }
    return false;
  }
}
