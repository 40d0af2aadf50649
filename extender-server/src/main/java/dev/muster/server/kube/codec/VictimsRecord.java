package dev.muster.server.kube.codec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.decision.MessageLimit;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.PreemptionRecord;
import dev.muster.core.gang.Victim;
import dev.muster.core.state.Effect;
import dev.muster.core.state.PreemptionHistory;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectMetadata;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Converts preemptions to and from annotations. The preemptor's object lists its victims; each
/// victim's object names its preemptor and time.
public final class VictimsRecord {
  private static final int VERSION = 1;

  /// Characters of the times that Muster writes at most.
  private static final int LONGEST_TIMES = 32 * PreemptionHistory.REMEMBERED;

  /// Commas and colons of one pod, of a victim with that pod only.
  private static final int SIGNS = 14;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Logger log = LoggerFactory.getLogger(VictimsRecord.class);

  private static final LogThrottle throttle = new LogThrottle();

  private VictimsRecord() {}

  /// Formats the victims of a gang:
  /// `{"version":1,"victims":[{"namespace":"ml","origin":"POD_GROUP",
  /// "name":"low","rule":"…","lostWork":7200,"members":{"<pod>":"<uid>"}}]}`.
  public static String text(SortedTable<GangId, Victim> victims) {
    ObjectNode record = JsonBodies.object().put("version", VERSION);
    var list = record.putArray("victims");
    for (Victim victim : victims) {
      ObjectNode one =
          list.addObject()
              .put("namespace", victim.gang().namespace())
              .put("origin", victim.gang().origin().name())
              .put("name", victim.gang().name())
              .put("rule", victim.rule())
              .put("lostWork", victim.lostWork());
      ObjectNode members = one.putObject("members");
      victim.members().asList().forEach(pod -> members.put(pod.name(), pod.uid()));
    }
    return CompressedRecord.text(record);
  }

  /// Formats the notice on a victim's object.
  public static String text(Effect.Notice notice) {
    ObjectNode said =
        JSON.createObjectNode()
            .put("version", VERSION)
            .put("by", notice.by().toString())
            .put("origin", notice.by().origin().name())
            .put("rule", notice.victim().rule())
            .put("revision", notice.revision())
            .put("members", notice.victim().members().size())
            .put("lostGpuSeconds", notice.victim().lostWork());
    notice.deadline().ifPresent(at -> said.put("deadline", at.toString()));
    return said.toString();
  }

  /// Formats the times of preemptions, to the nanosecond. By the exact time, the engine
  /// distinguishes this preemption of an object from earlier ones.
  public static String text(List<Instant> stopped) {
    return stopped.stream().map(Instant::toString).collect(Collectors.joining(","));
  }

  /// Returns how often and for which gang the gang of the object was preempted. Invalid annotations
  /// are ignored.
  static PreemptionRecord read(HasMetadata object) {
    Map<String, String> annotations = ObjectMetadata.annotations(object);
    String stopped = annotations.getOrDefault(WellKnownNames.PREEMPTED_AT, "");
    String by = annotations.getOrDefault(WellKnownNames.PREEMPTED_BY, "");
    return stopped.isEmpty() && by.isEmpty()
        ? PreemptionRecord.NONE
        : new PreemptionRecord(SortedTable.empty(), times(stopped), notice(object, by));
  }

  private static Optional<PreemptionRecord.Notice> notice(HasMetadata object, String text) {
    try {
      JsonNode said = text.isEmpty() ? JSON.createObjectNode() : JSON.readTree(text);
      String[] by = said.path("by").asText().split("/", -1);
      if (by.length != 2 || !said.has("origin")) { // earlier versions wrote no origin
        return Optional.empty();
      }
      GangId.Origin origin = GangId.Origin.valueOf(said.path("origin").asText());
      return Optional.of(
          new PreemptionRecord.Notice(
              new GangId(by[0], origin, by[1]),
              PodReport.instant(said.path("deadline").asText(""))));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      warn(
          object,
          "the invalid %s: %s"
              .formatted(
                  WellKnownNames.PREEMPTED_BY, Mistakes.shown(String.valueOf(e.getMessage()))));
      return Optional.empty();
    }
  }

  private static void warn(HasMetadata object, String ignored) {
    String line = "%s: ignored %s".formatted(ObjectRef.to(object), ignored);
    if (throttle.isNew(line)) {
      log.warn("{}", line);
    }
  }

  private static List<Instant> times(String text) {
    List<Instant> times = new ArrayList<>();
    int from = Math.max(0, text.length() - LONGEST_TIMES); // Muster writes the newest ones last
    for (String time : text.substring(from).split(",", -1)) {
      Optional<Instant> at = PodReport.instant(time);
      at.ifPresent(times::add);
    }
    return times;
  }

  /// Returns the victims that the object records. Invalid ones are ignored: the preemption is
  /// decided again.
  public static SortedTable<GangId, Victim> victims(HasMetadata object) {
    String text = ObjectMetadata.annotations(object).getOrDefault(WellKnownNames.VICTIMS, "");
    SortedTable<GangId, Victim> victims = SortedTable.empty();
    try {
      JsonNode record =
          text.isEmpty()
              ? JsonBodies.object()
              : CompressedRecord.read(WellKnownNames.VICTIMS, text, SIGNS);
      if (record.path("version").asInt(VERSION) != VERSION) {
        warn(object, "recorded victims of an unknown version: " + Mistakes.shown(text));
        return victims;
      }
      for (JsonNode one : record.path("victims")) {
        Victim victim = victim(one);
        victims = victims.with(victim.gang(), victim);
      }
    } catch (IllegalArgumentException e) {
      warn(object, "invalid recorded victims: " + MessageLimit.cut(String.valueOf(e.getMessage())));
    }
    return victims;
  }

  private static Victim victim(JsonNode one) {
    String namespace = one.path("namespace").asText();
    GangId.Origin origin = GangId.Origin.valueOf(one.path("origin").asText());
    SortedKeys<MemberId> members = SortedKeys.empty();
    for (Map.Entry<String, JsonNode> pod : one.path("members").properties()) {
      MemberId id = new MemberId(namespace, pod.getKey(), pod.getValue().asText());
      members = members.with(id);
    }
    return new Victim(
        new GangId(namespace, origin, one.path("name").asText()),
        members,
        one.path("rule").asText(),
        one.path("lostWork").asLong());
  }
}
