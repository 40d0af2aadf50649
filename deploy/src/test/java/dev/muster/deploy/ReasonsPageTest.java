package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.fit.Veto;
import dev.muster.server.http.page.PageQuery;
import dev.muster.server.http.page.WaitingView;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The page on reasons explains every reason token, so links to it always lead somewhere.
class ReasonsPageTest {
  static Stream<Class<?>> vetoes() {
    return Stream.of(Veto.class.getPermittedSubclasses());
  }

  @ParameterizedTest
  @MethodSource("vetoes")
  void page_explains_the_reason(Class<?> veto) throws Exception {
    String token = ReasonText.token(blank(veto));
    String anchor = "<a id=\"%s\"></a>`%s`".formatted(token.toLowerCase(Locale.ROOT), token);
    assertThat(page()).contains(token.equals("ReservedForOther") ? "`ReservedForOther`" : anchor);
  }

  /// Reasons that the filter and the PodGroup give before the first veto.
  @Test
  void page_explains_the_reason_before_any_other() throws IOException {
    assertThat(page()).contains("<a id=\"pendingevaluation\"></a>`PendingEvaluation`");
  }

  @Test
  void waiting_gangs_can_be_asked_for_by_every_reason() throws Exception {
    String gangs = page().substring(0, page().indexOf("## Reasons of a node"));
    List<String> tokens =
        Pattern.compile("</a>`(\\w+)` \\|")
            .matcher(gangs)
            .results()
            .map(row -> row.group(1))
            .toList();

    assertThat(tokens).contains("PendingEvaluation", "StartRefused");
    for (String token : tokens) {
      assertThat(WaitingView.of(PageQuery.NONE.with("reason", token))).isNotNull();
    }
  }

  /// Covers reasons that end only with a change, or with a written or corrected object.
  @Test
  void alerts_cover_every_reason_that_needs_action() throws IOException {
    String gangs = page().substring(0, page().indexOf("## Reasons of a node"));
    Stream<String> never =
        Pattern.compile("</a>`(\\w+)` \\|[^|]*\\| change \\|")
            .matcher(gangs)
            .results()
            .map(row -> row.group(1));
    String alerts = ShippedFiles.text("manifests/monitoring/alerts.yaml");
    Matcher told = Pattern.compile("muster_waiting_gangs\\{reason=~\"([\\w|]+)\"}").matcher(alerts);
    assertThat(told.find()).isTrue();
    assertThat(told.group(1).split("\\|", -1))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(never, Stream.of("PodGroupMissing", "InvalidSpecification")).toList());
  }

  private static String page() throws IOException {
    return Files.readString(ShippedFiles.folder().resolveSibling("docs").resolve("reasons.md"));
  }

  /// A veto without content: its token depends on its kind alone.
  private static Veto blank(Class<?> type) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    var types = new Class<?>[components.length];
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = types[i].isPrimitive() ? Array.get(Array.newInstance(types[i], 1), 0) : null;
    }
    return (Veto) type.getDeclaredConstructor(types).newInstance(values);
  }
}
