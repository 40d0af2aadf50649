package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.file.MalformedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A JSON trace has any number of jobs, but each value in it has a maximum size.
final class LargeJsonTraceTest {
  private static final int LIMIT = 1 << 20;
  private static final String LARGE =
      "[" + "0,".repeat(LIMIT / 2) + "0]"; // two bytes more than the limit

  @TempDir private Path folder;
  private Path file = Path.of("set before each test");

  @BeforeEach
  void name() {
    file = folder.resolve("t");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "3|{'nb_res':4,'profiles':{'p':{'type':'delay','delay':1}},'jobs':[~{'id':'a','subtime':0},~{'id':'b','more':LARGE}]}",
        "2|{'nb_res':4,'profiles':{~'p':{'type':'delay','delay':1,'more':LARGE}},'jobs':[]}",
        "1|{'nb_res':4,~'more':LARGE,'jobs':[]}",
        "2|[~{'jobid':'a','submitted_time':'2017-10-09 07:01:55','attempts':LARGE}]",
      })
  void large_value_is_refused(int line, String text) throws IOException {
    Files.writeString(file, text.replace('\'', '"').replace('~', '\n').replace("LARGE", LARGE));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(MalformedFile.class)
        .hasMessage(
            "%s:%d:1: the JSON value has more than 1,048,576 bytes, the maximum.", file, line);
  }

  @Test
  void batsim_workload_is_larger_than_any_of_its_values() throws IOException {
    String note = "x".repeat(LIMIT / 2);
    String jobs =
        list(
            "{\"id\":\"%1$d\",\"subtime\":0,\"res\":1,\"profile\":\"p%1$d\",\"note\":\"%2$s\"}",
            note);
    String profiles = list("\"p%d\":{\"type\":\"delay\",\"delay\":1,\"note\":\"%s\"}", note);
    for (String form :
        new String[] {"\"jobs\":[%s],\"profiles\":{%s}", "\"profiles\":{%2$s},\"jobs\":[%1$s]"}) {
      Files.writeString(file, "{\"nb_res\":4," + form.formatted(jobs, profiles) + "}");
      assertThat(Samples.jobs(file, TraceOptions.DEFAULT)).hasSize(4);
    }
  }

  @Test
  void philly_list_is_larger_than_any_of_its_jobs() throws IOException {
    String jobs =
        list(
            "{\"jobid\":\"%d\",\"submitted_time\":\"2017-10-09 07:01:55\",\"attempts\":[{\"start_time\":\"2017-10-09 07:02:00\",\"end_time\":\"2017-10-09 07:12:00\",\"detail\":[{\"gpus\":[\"%s\"]}]}]}",
            "x".repeat(LIMIT / 2));
    Files.writeString(file, "[" + jobs + "]");
    assertThat(Samples.jobs(file, Samples.as("philly-json"))).hasSize(4);
  }

  private static String list(String form, String note) {
    return IntStream.range(0, 4)
        .mapToObj(i -> form.formatted(i, note))
        .collect(Collectors.joining(","));
  }
}
