package dev.muster.policy.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Failures are told in words, never by the name of an exception.
class FailureTextTest {
  static List<Throwable> failures() {
    return List.of(
        new NullPointerException(),
        new IllegalStateException(),
        new UnsupportedOperationException(" "),
        new IllegalStateException(new IllegalArgumentException("The fleet is empty.")),
        new IllegalStateException(null, new ClassCastException()),
        new UncheckedIOException(new NoSuchFileException("/p/a.yaml")),
        new ExecutionException(new AccessDeniedException("/p/a.yaml")),
        new IOException((String) null),
        new NoClassDefFoundError("com/example/Missing"),
        new NoClassDefFoundError("Could not initialize class com.example.Missing"),
        new NoClassDefFoundError(),
        new ClassNotFoundException("com.example.Missing"),
        new StackOverflowError(),
        new OutOfMemoryError("Java heap space"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void no_exception_is_named(Throwable failure) {
    assertThat(FailureText.of(failure)).doesNotContain("Exception", "Error", "java.").isNotBlank();
  }

  @Test
  void wrapper_gives_the_words_of_its_cause() {
    Throwable file = new UncheckedIOException(new NoSuchFileException("/p/a.yaml"));
    assertThat(FailureText.of(file)).isEqualTo("/p/a.yaml: no such file or folder");
  }

  @Test
  void missing_class_is_named_as_in_java_code() {
    assertThat(FailureText.of(new NoClassDefFoundError("com/example/Missing")))
        .isEqualTo("the class com.example.Missing is missing");
  }

  @Test
  void words_of_the_failure_itself_come_before_those_of_its_cause() {
    Throwable failure = new IllegalStateException("No rule fits.", new NullPointerException());
    assertThat(FailureText.of(failure)).isEqualTo("No rule fits");
  }

  @Test
  void sentence_gets_no_stop_after_a_question() {
    assertThat(FailureText.sentence(new IllegalArgumentException("Did you mean `a`?")))
        .isEqualTo("Did you mean `a`?");
  }

  @Test
  void sentence_has_one_stop() {
    assertThat(FailureText.sentence(new IllegalArgumentException("No rule fits.")))
        .isEqualTo("No rule fits.");
  }
}
