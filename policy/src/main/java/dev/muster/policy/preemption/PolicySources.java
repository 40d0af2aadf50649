package dev.muster.policy.preemption;

import dev.muster.policy.file.FileErrorText;
import dev.muster.policy.file.StrictReader;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The contents of the files of a policy, in the order in which they merge.
///
/// @param contents contents by the name that problems use
/// @param problems the files that could not be read
public record PolicySources(SequencedMap<String, byte[]> contents, List<FileProblem> problems) {
  /// The name of the standard input in problems.
  public static final String STANDARD_INPUT = "standard input";

  /// No file.
  public static final PolicySources NONE = new PolicySources(new LinkedHashMap<>(), List.of());

  private static final String TESTS = ".test.yaml";
  private static final int MOST_FILES = 200;

  public PolicySources {
    contents = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(contents));
    problems = List.copyOf(problems);
  }

  /// Reads a file, or the files of a folder that end in `.yaml` or `.yml`, by name.
  ///
  /// Tests (`.test.yaml`), hidden files and folders are left out. The links of a mounted ConfigMap
  /// are followed.
  public static PolicySources of(Path place) {
    return read(place, name -> !name.endsWith(TESTS));
  }

  /// Reads a policy of one file from a stream; problems name it `standard input`.
  public static PolicySources of(InputStream in) {
    SequencedMap<String, byte[]> contents = new LinkedHashMap<>();
    try {
      contents.put(STANDARD_INPUT, in.readNBytes(StrictReader.MOST_BYTES + 1));
      return new PolicySources(contents, List.of());
    } catch (IOException failed) {
      return new PolicySources(
          contents, List.of(FileProblem.ofFile(STANDARD_INPUT, FileErrorText.of(failed))));
    }
  }

  /// Reads the test files beside a policy.
  ///
  /// For a folder these are its `.test.yaml` files; for a file `NAME.yaml` it is `NAME.test.yaml`,
  /// if that exists.
  public static PolicySources testsOf(Path place) {
    if (Files.isDirectory(place)) {
      return read(place, name -> name.endsWith(TESTS));
    }
    String name = String.valueOf(place.getFileName()).replaceFirst("\\.ya?ml$", "");
    Path beside = place.resolveSibling(name + TESTS);
    return isFile(beside) ? read(beside, _ -> true) : NONE;
  }

  private static PolicySources read(Path place, Predicate<String> wanted) {
    SequencedMap<String, byte[]> contents = new LinkedHashMap<>();
    List<FileProblem> problems = new ArrayList<>();
    List<Path> files = files(place, wanted, problems);
    for (Path file : files) {
      try (InputStream in = Files.newInputStream(file)) {
        contents.put(file.toString(), in.readNBytes(StrictReader.MOST_BYTES + 1));
      } catch (IOException failed) {
        problems.add(FileProblem.ofFile(file.toString(), FileErrorText.of(failed)));
      }
    }
    return new PolicySources(contents, problems);
  }

  private static List<Path> files(
      Path place, Predicate<String> wanted, List<FileProblem> problems) {
    if (!Files.isDirectory(place)) {
      return List.of(place);
    }
    try (Stream<Path> listed = Files.list(place)) {
      List<Path> files =
          listed
              .filter(file -> isPolicy(file.getFileName().toString(), wanted))
              .filter(PolicySources::isFile)
              .sorted((a, b) -> a.getFileName().toString().compareTo(b.getFileName().toString()))
              .toList();
      if (files.isEmpty() && wanted.test("")) {
        String message = "has no .yaml file.";
        problems.add(FileProblem.ofFile(place.toString(), message));
      } else if (files.size() > MOST_FILES) {
        problems.add(
            FileProblem.ofFile(
                place.toString(),
                "has %d files; at most %d are allowed.".formatted(files.size(), MOST_FILES)));
        return List.of();
      }
      return files;
    } catch (IOException failed) {
      problems.add(FileProblem.ofFile(place.toString(), FileErrorText.of(failed)));
    } catch (UncheckedIOException failed) {
      problems.add(
          FileProblem.ofFile(
              place.toString(), FileErrorText.of(Objects.requireNonNull(failed.getCause()))));
    }
    return List.of();
  }

  /// True for files and for broken links, which would otherwise be left out silently.
  private static boolean isFile(Path file) {
    return Files.isRegularFile(file) || (Files.isSymbolicLink(file) && Files.notExists(file));
  }

  private static boolean isPolicy(String name, Predicate<String> wanted) {
    boolean yaml = name.endsWith(".yaml") || name.endsWith(".yml");
    return yaml && !name.startsWith(".") && wanted.test(name);
  }
}
