package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.server.kube.client.JsonBodies;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Random;
import java.util.UUID;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompressedRecordTest {
  /// Maximum size in bytes of all annotations of an object in Kubernetes.
  private static final int ALLOWED = 256 * 1024;

  private static Reservation ofPods(int count) {
    Random random = new Random(7);
    GangId gang = new GangId("research", Origin.POD_GROUP, "pretraining-run");
    Reservation reservation = Reservation.open(gang, Instant.EPOCH, Instant.EPOCH);
    for (int i = 0; i < count; i++) {
      String uid = new UUID(random.nextLong(), random.nextLong()).toString();
      MemberId pod = new MemberId("research", "pretraining-run-worker-" + i, uid);
      NodeId node = new NodeId("gpu-node-%04d.cluster.example".formatted(i / 8));
      reservation = reservation.with(Promise.keep(pod, node, Instant.EPOCH));
    }
    return reservation;
  }

  private static String packed(int bytes) throws IOException {
    return packedText('"' + " ".repeat(bytes) + '"');
  }

  @Test
  void record_of_thousands_of_pods_fits_in_an_annotation() {
    assertThat(ReservationRecord.text(ofPods(5_000))).hasSizeLessThan(ALLOWED);
  }

  @Test
  void compressed_record_is_read_back() {
    Reservation reservation = ofPods(2_000);
    String text = ReservationRecord.text(reservation);
    assertThat(text).startsWith("{\"gzip\":");
    assertThat(ReservationRecord.promises("research", text, _ -> true).keys())
        .isEqualTo(reservation.promises().keys());
  }

  @Test
  void short_record_stays_readable() {
    assertThat(ReservationRecord.text(ofPods(100))).contains("pretraining-run-worker-99");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"gzip\":\"*\"}", "{\"gzip\":\"AAAA\"}", "{\"gzip\":7}", "{"})
  void invalid_record_is_reported_with_its_annotation(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompressedRecord.read("muster.dev/reservation", text, 5))
        .withMessageContaining("muster.dev/reservation");
  }

  @Test
  void forged_record_does_not_exhaust_memory() throws IOException {
    String text = packed(100 << 20);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompressedRecord.read("muster.dev/victims", text, 5))
        .withMessageContaining("larger than");
  }

  @Test
  void forged_record_is_bounded_by_the_pods_of_an_annotation() throws IOException {
    String text = packed(4 << 20);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompressedRecord.read("muster.dev/victims", text, 5))
        .withMessageContaining("larger than");
  }

  private static String packedText(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    ObjectNode record = JsonBodies.object();
    return record.put("gzip", Base64.getEncoder().encodeToString(packed.toByteArray())).toString();
  }

  /// Each value of a tree takes far more memory than its text.
  @ParameterizedTest
  @ValueSource(strings = {"0,", "[],", "{\"p\":{\"uid\":\"u\",\"node\":\"n\"}},"})
  void forged_record_is_bounded_by_its_values(String value) throws IOException {
    String text = packedText("[" + value.repeat(70_000) + "0]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CompressedRecord.read("muster.dev/reservation", text, 5))
        .withMessageContaining("more values than a record of 13000 pods");
  }

  @Test
  void every_record_that_fits_in_an_annotation_is_read_back() {
    Reservation reservation = ofPods(6_900);
    String text = ReservationRecord.text(reservation);
    assertThat(text.length()).isBetween(ALLOWED - 8192, ALLOWED);
    assertThat(ReservationRecord.promises("research", text, _ -> true).keys())
        .isEqualTo(reservation.promises().keys());
  }
}
