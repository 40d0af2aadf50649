package dev.muster.deploy.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The live screen fits its terminal, and says what matters at each size.
class TopScreenTest {
  private static List<AttributedString> lines(
      TopPages pages, TopState state, int width, int height) {
    return new TopScreen(pages, state, Optional.empty(), "", true).lines(width, height);
  }

  private static List<String> screen(int width, int height) {
    TopPages pages = GivenList.pages(TopState.FIRST, TopScreen.rows(height));
    return text(lines(pages, TopState.FIRST, width, height));
  }

  private static List<String> text(List<AttributedString> lines) {
    return lines.stream().map(AttributedString::toString).toList();
  }

  @ParameterizedTest
  @CsvSource({"80,24", "140,40", "60,20", "20,8", "3,3", "1,1", "300,600"})
  void screen_fits_the_terminal(int width, int height) {
    TopPages pages = GivenList.pages(TopState.FIRST, TopScreen.rows(height));
    for (boolean help : new boolean[] {false, true}) {
      TopState state = new TopState(TopView.WAITING, "position", 0, help);
      List<AttributedString> lines = lines(pages, state, width, height);

      assertThat(lines).hasSize(height);
      assertThat(lines).allMatch(line -> line.columnLength() <= width);
    }
  }

  @Test
  void small_terminal_shows_what_matters_of_a_gang() {
    List<String> screen = screen(80, 24);

    assertThat(screen.get(5)).matches("POS +NAMESPACE +NAME +QUEUE +GPUS +WAIT +START +REASON *");
    assertThat(screen.get(6))
        .isEqualTo(
            "  1  team-a     train-with-a~  team-a    16   14m  13:00:00Z  WaitingForCapacity");
  }

  @Test
  void wide_terminal_also_shows_shape_user_and_message() {
    assertThat(screen(140, 40).get(5)).contains("SHAPE", "USER", "MESSAGE");
    assertThat(screen(140, 40).get(6)).contains("2 x 8", "ann", "Needs 8; free: 0.");
  }

  @Test
  void head_says_how_full_the_cluster_is_and_how_long_the_line() {
    assertThat(screen(80, 24).subList(0, 3))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("Muster 1.2.3  leader").endsWith("as of 12:14:07Z"),
            line ->
                assertThat(line)
                    .startsWith("GPUs     16 of 24 used, 7 free, 1 promised, on 3 nodes  [##")
                    .endsWith(".]"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "Waiting  10000 gangs for 160000 GPUs, the oldest for 14m:"
                            + " team-a/train-with-a-ra"));
  }

  @Test
  void foot_says_which_part_is_in_sight() {
    TopState state = new TopState(TopView.WAITING, "wait", 9_990, false);

    assertThat(text(lines(GivenList.pages(state, 17), state, 80, 24)).getLast())
        .startsWith("9991-10000 of 10000 by wait")
        .endsWith("q quit");
  }

  @Test
  void lists_have_their_numbers() {
    assertThat(screen(80, 24).get(4)).startsWith(" Waiting 10000   Running 2   Nodes 3   Queues ");
  }

  @Test
  void list_that_is_not_read_yet_says_so() {
    TopState nodes = TopState.FIRST.after(TopKey.PREVIOUS_VIEW, 17, 1);

    assertThat(text(lines(GivenList.pages(TopState.FIRST, 17), nodes, 80, 24)))
        .contains("Reading ...")
        .noneMatch(line -> line.contains("WaitingForCapacity"));
  }

  @Test
  void old_pages_stay_below_the_reason_why_they_are_old() {
    TopScreen old =
        new TopScreen(
            GivenList.pages(TopState.FIRST, 17),
            TopState.FIRST,
            Optional.of("No answer since 12:14:09Z. Nobody listens there."),
            "",
            true);

    assertThat(text(old.lines(80, 24)))
        .contains("No answer since 12:14:09Z. Nobody listens there.")
        .anyMatch(line -> line.contains("train-with"));
  }

  @Test
  void help_names_the_keys() {
    TopState help = TopState.FIRST.after(TopKey.HELP, 17, 1);

    assertThat(text(lines(GivenList.pages(TopState.FIRST, 17), help, 80, 24)))
        .anyMatch(line -> line.startsWith("Page Up, Page Down"))
        .noneMatch(line -> line.contains("WaitingForCapacity"));
  }

  @Test
  void text_of_a_tenant_cannot_act_on_the_terminal() {
    TopPages hostile = GivenList.pages(TopState.FIRST, 17, "a\u001b[2J\u202eb", "\u009b1m\r\nx");

    assertThat(text(lines(hostile, TopState.FIRST, 140, 40)))
        .allMatch(line -> line.chars().allMatch(each -> each >= ' ' && each < 127));
  }

  @Test
  void wide_characters_are_counted_as_the_terminal_shows_them() {
    TopPages wide =
        GivenList.pages(TopState.FIRST, 17, "\u8bad\u7ec3".repeat(20), "\u8bad".repeat(90));

    assertThat(lines(wide, TopState.FIRST, 140, 24))
        .allMatch(line -> line.columnLength() <= 140)
        .anyMatch(line -> line.toString().contains("\u8bad~"));
  }

  @Test
  void screen_without_colours_has_none() {
    TopScreen plain =
        new TopScreen(
            GivenList.pages(TopState.FIRST, 17), TopState.FIRST, Optional.of("No."), "", false);

    assertThat(plain.lines(80, 24)).noneMatch(line -> line.toAnsi().contains("\u001b[3"));
  }

  @Test
  void filters_are_shown() {
    TopScreen filtered =
        new TopScreen(
            GivenList.pages(TopState.FIRST, 17),
            TopState.FIRST,
            Optional.empty(),
            "&namespace=ml&user=ann",
            true);

    assertThat(text(filtered.lines(80, 24)).get(4)).endsWith("namespace=ml user=ann");
  }
}
