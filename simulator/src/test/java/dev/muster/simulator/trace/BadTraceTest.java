package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.simulator.file.BadFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong with a trace is told with file, line, column, value and a remedy. */
final class BadTraceTest {
  private static final String TIRESIAS = "job_id,num_gpu,submit_time,duration\n";
  private static final String UNKNOWN =
      " is below 0. Maybe it stands for a value that is not known; leave the row out.";
  private static final String OWN = "{\"format\":\"muster-trace/v1\"}\n";

  @TempDir private Path folder;
  private Path file = Path.of("set before each test");

  @BeforeEach
  void name() {
    file = folder.resolve("t");
  }

  private void assertComplaint(String content, String complaint) throws IOException {
    Files.writeString(file, content);
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(BadFile.class)
        .hasMessage(file + complaint);
  }

  @Test
  void noNumber() throws IOException {
    assertComplaint(
        TIRESIAS + "1,two,0,5\n",
        ":2:3: num_gpu: \"two\" is not a number in range. Maybe the columns are in another order.");
  }

  @Test
  void tooFew() throws IOException {
    assertComplaint(
        TIRESIAS + "1,0,0,5\n",
        ":2:3: num_gpu: 0 is too few; it must be 1 or more. Maybe the columns are in another order.");
  }

  /// To round the second would take for ever.
  @ParameterizedTest
  @ValueSource(strings = {"1e999999999", "1e-999999999"})
  void aNumberOfBillionsOfDigits(String duration) throws IOException {
    assertComplaint(
        TIRESIAS + "1,1,0,%s\n".formatted(duration),
        ":2:7: duration: \"%s\" is not a number in range. Maybe the columns are in another order."
            .formatted(duration));
  }

  @Test
  void aLineOfALogThatWasCutOff() throws IOException {
    assertComplaint(
        "; Version: 2.2\n1 0 5 60 4 -1 -1 4 60 -1 1 1 1 -1 1 -1 -1\n",
        ":2:1: the line has 17 numbers, not 18. Maybe it was cut off.");
  }

  /// Whether it may be a line of 18 numbers is soon found out.
  @Test
  void onlyDigits() throws IOException {
    Files.writeString(file, "7".repeat(100) + "x\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageContaining(": the format is not known; it begins \"777");
  }

  @Test
  void aNumberTooLongForTheParser() throws IOException {
    Files.writeString(file, "{\"nb_res\": %s, \"jobs\": []}".formatted("7".repeat(5000)));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(BadFile.class)
        .hasMessageStartingWith(file + ":1:1: is not JSON: Number value length (5000) exceeds");
  }

  @Test
  void belowZero() throws IOException {
    assertComplaint(TIRESIAS + "1,1,-3,5\n", ":2:5: submit_time: -3" + UNKNOWN);
  }

  @Test
  void behindAValueInQuotationMarks() throws IOException {
    String row = "\"a \"\"b\"\", c\",1,-3,5\n";
    assertComplaint(
        TIRESIAS + row, ":2:%d: submit_time: -3".formatted(1 + row.indexOf("-3")) + UNKNOWN);
  }

  @Test
  void missingValues() throws IOException {
    assertComplaint(
        TIRESIAS + "1,1,0,5\n2,1\n",
        ":3:1: the row has 2 values, the header 4 columns. Maybe the row was cut off.");
  }

  @Test
  void twice() throws IOException {
    assertComplaint(
        TIRESIAS + "1,1,0,5\n1,1,0,5\n",
        ":3:1: the job \"1\" is there twice. Maybe the file was joined from two.");
  }

  @Test
  void noTime() throws IOException {
    assertComplaint(
        "timestamp,duration,num_gpus\nyesterday,5,1\n",
        ":2:1: timestamp: \"yesterday\" is no time. Write it like 2017-10-09 07:01:55.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "models|\"H100\"|a list",
        "priority|\"high\"|a whole number, or too large",
        "priority|2.5|a whole number, or too large",
        "one_per_node|\"yes\"|true or false",
        "mixed|1|true or false",
        "resources|7|an object",
        "queue|[\"prod\"]|a text or a number",
      })
  void aValueOfAnotherKind(String field, String value, String kind) throws IOException {
    String line = "{\"id\":\"a\",\"submit_ms\":5,\"run_ms\":9,\"%s\":%s}%n".formatted(field, value);
    assertComplaint(
        OWN + line,
        ":2:%d: %s: %s is not %s.".formatted(1 + line.indexOf('"' + field), field, value, kind));
  }

  @Test
  void aModelThatIsNoText() throws IOException {
    assertComplaint(
        OWN + "{\"id\":\"a\",\"submit_ms\":5,\"run_ms\":9,\"models\":[100]}\n",
        ":2:36: models: 100 is not the name of a model.");
  }

  @Test
  void unknownFormat() throws IOException {
    Files.writeString(file, "a,b,c\n1,2,3\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageStartingWith(file + ": the format is not known; it begins \"a,b,c\".")
        .hasMessageContaining("--format")
        .hasMessageContaining("openb");
  }

  @Test
  void wrongFormatNamed() {
    assertThatThrownBy(() -> Samples.jobs(Samples.file("tiresias.csv"), Samples.as("helios")))
        .hasMessageContaining("missing are [user, vc, gpu_num, node_num, state]");
  }

  @Test
  void noSuchFormat() {
    assertThatThrownBy(() -> Samples.jobs(Samples.file("tiresias.csv"), Samples.as("helio")))
        .hasMessageStartingWith("There is no trace format \"helio\"; known are muster, openb,");
  }

  @Test
  void noSuchFile() {
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessage(file + ": there is no such file. Maybe the path is wrong.");
  }

  @Test
  void unknownFieldOfOurOwn() throws IOException {
    assertComplaint(
        OWN + "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1,\"gpu\":1}\n",
        ":2:36: gpu: the field is not known. Maybe you meant gpus.");
  }

  @Test
  void ownFieldThatIsThereTwice() throws IOException {
    assertComplaint(
        OWN + "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1,\"run_ms\":2}\n",
        ":2:1: has a field twice: 'run_ms'. Maybe leave one of them out.");
  }

  @Test
  void ownLineThatIsNoJson() throws IOException {
    Files.writeString(file, OWN + "{\"id\":\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageStartingWith(file + ":2:1: is not JSON: ");
  }

  @Test
  void ownLinesOutOfOrder() throws IOException {
    assertComplaint(
        OWN
            + "{\"id\":\"a\",\"submit_ms\":9,\"run_ms\":1}\n{\"id\":\"b\",\"submit_ms\":8,\"run_ms\":1}\n",
        ":3:11: submit_ms: 8 is before the job in the line above (9). Maybe sort the lines by submit_ms.");
  }

  @Test
  void ownVersionOfTheFuture() throws IOException {
    assertComplaint(
        "{\"format\":\"muster-trace/v9\"}\n",
        ":1:1: format: \"muster-trace/v9\" is not known; known is muster-trace/v1. Maybe another version of Muster wrote it.");
  }

  @Test
  void badRowsAreCountedWhenSkipped() throws IOException {
    Files.writeString(file, TIRESIAS + "1,1,0,5\n2,x,0,5\n3\n4,1,9,5\n");
    try (Trace trace = TraceFiles.open(file, Samples.skippingBad())) {
      assertThat(trace.skipped()).isEqualTo(2);
      assertThat(trace.next().id()).isEqualTo("1");
      assertThat(trace.next().id()).isEqualTo("4");
      assertThat(trace.hasNext()).isFalse();
    }
  }

  @Test
  void badLinesOfOurOwnAreCountedWhenSkipped() throws IOException {
    Files.writeString(file, OWN + "nonsense\n{\"id\":\"b\",\"submit_ms\":8,\"run_ms\":1}\n");
    try (Trace trace = TraceFiles.open(file, Samples.skippingBad())) {
      assertThat(trace.next().id()).isEqualTo("b");
      assertThat(trace.hasNext()).isFalse();
      assertThat(trace.skipped()).isEqualTo(1);
    }
  }

  @Test
  void moreProcessorsThanThereCanBe() throws IOException {
    assertComplaint(
        "; Version: 2.2\n1 0 0 10 4294967297 -1 -1 1 100 -1 1 1 1 1 1 -1 -1 -1\n",
        ":2:10: allocated processors: 4294967297 is too many. Maybe the columns are in another order.");
  }

  @Test
  void moreGpusThanThereCanBe() throws IOException {
    assertComplaint(
        TIRESIAS + "1,2147483629,0,5\n",
        ":2:1: The job (1) has workers (268435454); there can be at most 100000. Maybe the columns are in another order.");
  }

  @Test
  void aColumnThatIsReadIsThereTwice() throws IOException {
    assertComplaint(
        "job_id,num_gpu,submit_time,duration,duration\n1,1,0,5,6\n",
        ":2:7: duration: the header names this column twice, so nobody knows which one counts. Maybe rename one.");
  }

  @Test
  void otherColumnsMayBeThereTwice() throws IOException {
    Files.writeString(file, "job_id,note,note,,num_gpu,submit_time,duration,\n1,a,b,,2,3,4,\n");
    assertThat(Samples.jobs(file, TraceOptions.DEFAULT))
        .map(Samples::line)
        .containsExactly("1 @3000 for 4000: 1x2");
  }

  @Test
  void phillyFieldsThatAreThereTwice() throws IOException {
    assertComplaint(
        "[{\"jobid\":\"a\",\"jobid\":\"b\",\"attempts\":[],\"submitted_time\":\"2017-10-09 07:01:55\"}]",
        ":1:22: has a field twice: 'jobid'. Maybe leave one of them out.");
  }

  @Test
  void timesBeforeTheEpochAndTimesThatAreNotThere() throws IOException {
    String header = "job_id,user,vc,gpu_num,node_num,state,submit_time,duration\n";
    assertComplaint(
        header + "1,u,v,1,1,COMPLETED,1969-12-31 23:59:59,5\n",
        ":2:21: submit_time: 1969-12-31 23:59:59 is before 1970. Maybe the year is wrong.");
    assertComplaint(
        header + "1,u,v,1,1,COMPLETED,nan,5\n",
        ":2:21: submit_time: nan is no time. Maybe leave the row out.");
  }

  @Test
  void anAttemptThatEndsBeforeItsStart() throws IOException {
    assertComplaint(
        """
        [{"jobid":"a","submitted_time":"2017-10-09 07:00:00","vc":"v","user":"u","attempts":[
          {"start_time":"2017-10-09 07:02:00","end_time":"2017-10-09 07:01:00","detail":[]}]}]
        """,
        ":1:1: attempts: an attempt ends at 2017-10-09 07:01:00, before its start at 2017-10-09 07:02:00. Maybe the two are the wrong way round.");
  }

  private static final String PHILLY_JOB =
      "{\"jobid\":\"%s\",\"vc\":\"v\",\"submitted_time\":\"2017-10-09 07:01:55\",\"attempts\":[{\"start_time\":\"2017-10-09 07:02:00\",\"end_time\":\"2017-10-09 07:12:00\",\"detail\":[{\"gpus\":[\"gpu0\"]}]}]}";

  @Test
  void whatIsNoJobAmidThoseOfPhilly() throws IOException {
    String text = "[" + PHILLY_JOB.formatted("a") + ",null,\n" + PHILLY_JOB.formatted("b") + "]";
    assertComplaint(text, ":1:1: attempts: is missing: this entry of the list is no job.");
    try (Trace trace = TraceFiles.open(file, Samples.skippingBad())) {
      assertThat(trace).toIterable().map(TraceJob::id).containsExactly("a", "b");
      assertThat(trace.skipped()).isEqualTo(1);
    }
  }

  @Test
  void twoListsOfPhilly() throws IOException {
    String list = "[" + PHILLY_JOB.formatted("a") + "]";
    assertComplaint(
        list + "\n" + list,
        ":2:1: something follows the list. Maybe the file was joined from two.");
  }

  @Test
  void aListOfPhillyThatIsCutOff() throws IOException {
    Files.writeString(file, "[" + PHILLY_JOB.formatted("a"));
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .hasMessageEndingWith(
            "is not JSON: Unexpected end-of-input: expected close marker for Array. Maybe it was cut off.");
  }

  /// Of two on one line, or in one file, the second would be passed over without a word.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1}{\"id\":\"b\",\"submit_ms\":0,\"run_ms\":1}|2:1",
        "{\"id\":\"a\",\"submit_ms\":0,\"run_ms\":1},|2:1"
      })
  void twoJobsOnALineOfOurOwn(String line, String place) throws IOException {
    Files.writeString(file, OWN + line + "\n");
    assertThatThrownBy(() -> Samples.jobs(file, TraceOptions.DEFAULT))
        .isInstanceOf(BadFile.class)
        .hasMessageStartingWith(file + ":" + place + ": ");
  }

  @Test
  void whereAWorkloadOfBatsimIsWrong() throws IOException {
    String workload =
        """
        {"nb_res":4,"jobs":[
          {"id":"a","subtime":0,"res":1,"profile":"p/q"},
          {"id":"b","subtime":%s,"res":1,"profile":"p/q"}],
        "profiles":{
          "n":{"type":"delay","delay":1},
          "p/q":{"type":"delay","delay":%s}}}
        """;
    assertComplaint(workload.formatted("-2", "1"), ":3:1: subtime: -2" + UNKNOWN);
    assertComplaint(
        "{\"nb_res\":4,\"jobs\":{}}", ": has no list \"jobs\". Maybe it is no workload of Batsim.");
    assertComplaint(workload.formatted("0", "-9"), ":6:1: delay: -9" + UNKNOWN);
  }

  @Test
  void twoWorkloadsOfBatsim() throws IOException {
    String workload =
        """
        {"nb_res":4,"jobs":[{"id":"%s","subtime":0,"res":1,"profile":"p"}],
        "profiles":{"p":{"type":"delay","delay":1}}}
        """;
    assertComplaint(
        workload.formatted("a") + workload.formatted("b"),
        ":3:1: something follows the end. Maybe the file was joined from two.");
  }
}
