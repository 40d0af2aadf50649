package dev.muster.deploy.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// A table gives up what matters least when it has to be narrow.
class FittedColumnTest {
  private static final List<FittedColumn> COLUMNS =
      List.of(
          FittedColumn.number("GPUS").named("N"),
          FittedColumn.text("NAME", 6),
          FittedColumn.text("REASON", 4).ifRoom());

  private static List<String> lines(int width) {
    return FittedColumn.lines(
        COLUMNS,
        List.of("NAME", "GPUS", "REASON"),
        List.of(List.of("a-long-name", "8", "no room"), List.of("b", "16", "-")),
        width);
  }

  @Test
  void columns_are_as_wide_as_their_cells_where_there_is_room() {
    assertThat(lines(80))
        .containsExactly(
            " N  NAME         REASON", " 8  a-long-name  no room", "16  b            -");
  }

  @Test
  void widest_text_is_cut_first() {
    assertThat(lines(20))
        .containsExactly(" N  NAME     REASON", " 8  a-long~  no room", "16  b        -");
  }

  @Test
  void column_that_may_be_missing_goes_before_others_are_too_narrow() {
    assertThat(lines(13)).containsExactly(" N  NAME", " 8  a-long-n~", "16  b");
  }

  @Test
  void even_numbers_are_cut_at_last() {
    assertThat(lines(6)).allMatch(line -> line.length() <= 6);
  }

  @Test
  void table_without_rows_has_its_headers() {
    assertThat(FittedColumn.lines(COLUMNS, List.of("NAME", "GPUS", "REASON"), List.of(), 80))
        .containsExactly("N  NAME  REASON");
  }
}
