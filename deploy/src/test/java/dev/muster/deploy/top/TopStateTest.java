package dev.muster.deploy.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Keys move through the lists, and never beyond their ends.
class TopStateTest {
  private static final int ROWS = 10;

  private static TopState at(int offset) {
    return new TopState(TopView.WAITING, "position", offset, false);
  }

  @ParameterizedTest
  @CsvSource({
    "DOWN,0,1",
    "UP,1,0",
    "UP,0,0",
    "PAGE_DOWN,0,10",
    "PAGE_DOWN,85,90",
    "PAGE_UP,15,5",
    "PAGE_UP,5,0",
    "FIRST,50,0",
    "LAST,0,90",
    "DOWN,90,90",
    "NONE,7,7"
  })
  void key_scrolls_a_list_of_100_rows(TopKey key, int from, int to) {
    assertThat(at(from).after(key, ROWS, 100)).isEqualTo(at(to));
  }

  @Test
  void list_that_fits_does_not_scroll() {
    for (TopKey key : TopKey.values()) {
      assertThat(at(0).after(key, ROWS, 3).offset()).isZero();
    }
  }

  @Test
  void list_that_shrank_shows_its_last_rows() {
    assertThat(at(90).within(ROWS, 20)).isEqualTo(at(10));
    assertThat(at(90).within(ROWS, 0)).isEqualTo(at(0));
  }

  @Test
  void next_view_goes_round() {
    TopState state = at(5);
    for (int i = 0; i < TopView.ALL.size(); i++) {
      state = state.after(TopKey.NEXT_VIEW, ROWS, 100);
    }
    assertThat(state).isEqualTo(at(0));
    assertThat(state.after(TopKey.PREVIOUS_VIEW, ROWS, 100).view()).isEqualTo(TopView.QUEUES);
  }

  @Test
  void sort_goes_round_from_the_first_row() {
    TopState state = at(5).after(TopKey.SORT, ROWS, 100);

    assertThat(state).isEqualTo(new TopState(TopView.WAITING, "wait", 0, false));
    assertThat(state.after(TopKey.SORT, ROWS, 100).after(TopKey.SORT, ROWS, 100)).isEqualTo(at(0));
  }

  @Test
  void any_key_ends_the_help_and_does_nothing_else() {
    TopState help = at(5).after(TopKey.HELP, ROWS, 100);

    assertThat(help.help()).isTrue();
    for (TopKey key : TopKey.values()) {
      assertThat(help.after(key, ROWS, 100)).isEqualTo(at(5));
    }
  }

  @Test
  void keys_are_known_as_terminals_send_them() {
    assertThat(List.of("\u001b[A", "\u001bOA", "k")).allMatch(sent -> TopKey.of(sent) == TopKey.UP);
    assertThat(List.of("\u001b[6~", " ")).allMatch(sent -> TopKey.of(sent) == TopKey.PAGE_DOWN);
    assertThat(List.of("\u001b[H", "\u001b[1~")).allMatch(sent -> TopKey.of(sent) == TopKey.FIRST);
    assertThat(List.of("\t", "\u001b[C")).allMatch(sent -> TopKey.of(sent) == TopKey.NEXT_VIEW);
    assertThat(List.of("\u001b", "\u001b[24~", "x", "\u00e9"))
        .allMatch(sent -> TopKey.of(sent) == TopKey.NONE);
  }
}
