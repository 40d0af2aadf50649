package dev.muster.server.kube.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.cluster.Promise;
import dev.muster.core.cluster.Reservation;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.core.gang.GangSpec;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.TopologyConstraint;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.client.ReadResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodGroupCodecTest {
  private static final Map<String, Integer> CLASSES = Map.of("prod", 1000);

  private static ReadResult<GangSpec> read(PodGroupDialect dialect, String metadata, String spec) {
    String yaml =
        """
        apiVersion: %s
        kind: PodGroup
        metadata: {namespace: ml, name: train, uid: g1, creationTimestamp: "2026-11-01T10:00:00Z"%s}
        spec: %s
        """
            .formatted(
                dialect.apiVersions().getFirst(), metadata.isEmpty() ? "" : ", " + metadata, spec);
    var codec = new PodGroupCodec(dialect, name -> Optional.ofNullable(CLASSES.get(name)));
    return codec.read(Yaml.group(yaml));
  }

  private static GangSpec spec(PodGroupDialect dialect, String metadata, String spec) {
    return switch (read(dialect, metadata, spec)) {
      case ReadResult.Good<GangSpec>(GangSpec good) -> good;
      case ReadResult.Bad<GangSpec>(ObjectProblem problem) -> throw new AssertionError(problem);
    };
  }

  private static String problem(PodGroupDialect dialect, String metadata, String spec) {
    return switch (read(dialect, metadata, spec)) {
      case ReadResult.Good<GangSpec>(GangSpec good) -> throw new AssertionError(good);
      case ReadResult.Bad<GangSpec>(ObjectProblem problem) -> problem.message();
    };
  }

  private static TopologyConstraint near(String required, String preferred) {
    return TopologyConstraint.of(
        Optional.of(required).filter(level -> !level.isEmpty()),
        Optional.of(preferred).filter(level -> !level.isEmpty()));
  }

  @Test
  void reads_scheduler_plugins() {
    GangSpec spec =
        spec(
            PodGroupDialect.SCHEDULER_PLUGINS,
            "labels: {kueue.x-k8s.io/queue-name: nlp}, annotations: {muster.dev/topology-required: zone, kai.scheduler/topology-preferred-placement: rack, muster.dev/gpu-models: H100}",
            "{minMember: 4, scheduleTimeoutSeconds: 90}");

    assertThat(spec)
        .isEqualTo(
            GangSpec.of(
                    new GangId("ml", Origin.POD_GROUP, "train"),
                    4,
                    "nlp",
                    Instant.parse("2026-11-01T10:00:00Z"))
                .labelled(new TreeMap<>(Map.of("kueue.x-k8s.io/queue-name", "nlp")))
                .wishing(
                    GangConstraints.of(
                        near("zone", "rack"), new GpuModelPreference(List.of("H100"), false)))
                .gatheringWithin(Optional.of(Duration.ofSeconds(90)))
                .running("ml/train"));
  }

  @Test
  void reads_native() {
    GangSpec spec =
        spec(
            PodGroupDialect.NATIVE,
            "",
            "{schedulingPolicy: {gang: {minCount: 3}}, priorityClassName: prod,"
                + " schedulingConstraints: {topology: [{key: example.com/rack}]}}");

    assertThat(spec.id().origin()).isEqualTo(Origin.NATIVE);
    assertThat(spec.minCount()).isEqualTo(3);
    assertThat(spec.priority()).contains(1000);
    assertThat(spec.wishes().topology()).isEqualTo(near("example.com/rack", ""));
    assertThat(spec.queue()).isEqualTo("ml");
    assertThat(spec(PodGroupDialect.NATIVE, "", "{schedulingPolicy: {basic: {}}}").minCount())
        .isEqualTo(1);
    assertThat(
            spec(
                    PodGroupDialect.NATIVE,
                    "",
                    "{schedulingPolicy: {gang: {minCount: 3}}, priority: 7}")
                .priority())
        .contains(7);
  }

  @Test
  void reads_volcano() {
    GangSpec spec =
        spec(
            PodGroupDialect.VOLCANO,
            "",
            "{minMember: 2, queue: research, priorityClassName: nobody-knows, networkTopology: {mode: soft, highestTierName: spine}}");

    assertThat(spec.id().origin()).isEqualTo(Origin.VOLCANO);
    assertThat(spec.minCount()).isEqualTo(2);
    assertThat(spec.queue()).isEqualTo("research");
    assertThat(spec.priority()).isEmpty();
    assertThat(spec.wishes().topology()).isEqualTo(near("", "spine"));
    assertThat(
            spec(
                    PodGroupDialect.VOLCANO,
                    "",
                    "{networkTopology: {mode: hard, highestTierName: leaf}}")
                .wishes()
                .topology())
        .isEqualTo(near("leaf", ""));
  }

  /// Volcano writes it into each PodGroup that names none.
  @Test
  void volcano_default_queue_leaves_the_queue_to_the_namespace() {
    assertThat(spec(PodGroupDialect.VOLCANO, "", "{minMember: 2, queue: default}").queue())
        .isEqualTo("ml");
    assertThat(
            spec(
                    PodGroupDialect.VOLCANO,
                    "labels: {muster.dev/queue: default}",
                    "{minMember: 2, queue: default}")
                .queue())
        .isEqualTo("default");
  }

  /// Volcano writes this for each of its Jobs.
  @Test
  void volcano_task_minima_do_not_change_the_gang_minimum() {
    String spec = "{minMember: 5, minTaskMember: {master: 1, worker: 4}}";

    assertThat(spec(PodGroupDialect.VOLCANO, "", spec).minCount()).isEqualTo(5);
  }

  /// Volcano's users say it by the number of a tier, which is nothing that Muster knows.
  @Test
  void volcano_tier_without_a_name_is_refused_if_required() {
    String hard = "{networkTopology: {mode: hard, highestTierAllowed: 1}}";

    assertThat(problem(PodGroupDialect.VOLCANO, "", hard))
        .isEqualTo(
            "The field spec.networkTopology.highestTierAllowed is (1); topology levels are supported by name only. Set spec.networkTopology.highestTierName, or the annotation muster.dev/topology-required.");
    assertThat(
            spec(PodGroupDialect.VOLCANO, "annotations: {muster.dev/topology-required: rack}", hard)
                .wishes()
                .topology())
        .isEqualTo(near("rack", ""));
    assertThat(
            spec(
                    PodGroupDialect.VOLCANO,
                    "",
                    "{networkTopology: {mode: soft, highestTierAllowed: 1}}")
                .wishes()
                .topology())
        .isEqualTo(near("", ""));
  }

  @Test
  void own_label_and_annotations_override_others() {
    GangSpec spec =
        spec(
            PodGroupDialect.VOLCANO,
            "labels: {muster.dev/queue: mine, kueue.x-k8s.io/queue-name: theirs}, annotations: {muster.dev/topology-required: rack, kueue.x-k8s.io/podset-required-topology: block}",
            "{minMember: 2, queue: volcanos}");

    assertThat(spec.queue()).isEqualTo("mine");
    assertThat(spec.wishes().topology()).isEqualTo(near("rack", ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SCHEDULER_PLUGINS | {minMember: four}                              | The field spec.minMember is (four); it must be a whole number.
          SCHEDULER_PLUGINS | {minMember: 1.5}                               | The field spec.minMember is (1.5); it must be a whole number.
          SCHEDULER_PLUGINS | {minMember: 0}                                 | The field spec.minMember is (0) or missing; it must be 1 or more.
          SCHEDULER_PLUGINS | {}                                             | The field spec.minMember is (0) or missing; it must be 1 or more.
          NATIVE            | {schedulingPolicy: {gang: {minCount: -1}}}     | The field spec.schedulingPolicy.gang.minCount is (-1) or missing; it must be 1 or more.
          VOLCANO           | {minMember: 2, queue: [a]}                     | The field spec.queue is ([a]); it must be a text.
          VOLCANO           | {minMember: 2, queue: "a\\tb"}                  | The field spec.queue is (a b); it must be the name of a queue: 1 to 253 letters, digits, '-', '_' and '.', with a letter or digit at both ends.
          """)
  void reports_mistakes(PodGroupDialect dialect, String spec, String message) {
    assertThat(read(dialect, "", spec))
        .isInstanceOfSatisfying(
            ReadResult.Bad.class,
            bad -> {
              assertThat(bad.problem().message()).isEqualTo(message);
              assertThat(bad.problem().object().toString()).isEqualTo("PodGroup ml/train");
            });
  }

  @Test
  void maximum_below_the_minimum_is_refused_by_annotation_name() {
    assertThat(
            problem(
                PodGroupDialect.SCHEDULER_PLUGINS,
                "annotations: {muster.dev/max-count: '2'}",
                "{minMember: 3}"))
        .isEqualTo(
            "The annotation muster.dev/max-count is (2), less than the PodGroup's minimum of 3 members.");
  }

  @Test
  void all_mistakes_of_a_pod_group_are_told_at_once() {
    String said =
        "labels: {muster.dev/queu: nlp}, annotations: {muster.dev/runtime: 2hours, muster.dev/layout: spread, muster.dev/max-count: lots, muster.dev/preemptible: maybe, muster.dev/restart-time: soon, muster.dev/mix-gpu-models: some, muster.dev/slice-size: '4'}";
    assertThat(problem(PodGroupDialect.SCHEDULER_PLUGINS, said, "{minMember: four}"))
        .isEqualTo(
            """
            The field spec.minMember is (four); it must be a whole number. \
            The annotation muster.dev/max-count is (lots); it must be a whole number, 1 to 999999999. \
            The annotations muster.dev/slice-size (4) and muster.dev/slice-topology () must be set together; one is missing. \
            The annotation muster.dev/layout is (spread); it must be packed or balanced. \
            The annotation muster.dev/mix-gpu-models is (some); it must be true or false. \
            The annotation muster.dev/runtime is (2hours): "2hours" is not a duration. Write it like 30m, 1h30m or 45s. \
            The annotation muster.dev/preemptible is (maybe); it must be false or true. \
            The annotation muster.dev/restart-time is (soon): "soon" is not a duration. Write it like 30m, 1h30m or 45s. \
            The label muster.dev/queu (nlp) is unknown and ignored. Did you mean muster.dev/queue?\
            """);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "runtime",
        "layout",
        "max-count",
        "preemptible",
        "restart-time",
        "mix-gpu-models",
        "slice-size",
        "unknown"
      })
  void text_about_a_long_value_is_short(String key) {
    String said =
        "annotations: {muster.dev/gpu-models: ', ', muster.dev/%s: '%s'}"
            .formatted(key, "x".repeat(100_000));
    assertThat(problem(PodGroupDialect.SCHEDULER_PLUGINS, said, "{minMember: 1}"))
        .contains("muster.dev/" + key)
        .hasSizeLessThan(600);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null", "7", "[1, 2]", "text"})
  void any_spec_is_read_or_refused(String spec) {
    for (PodGroupDialect dialect : PodGroupDialect.values()) {
      assertThat(read(dialect, "", spec))
          .isInstanceOfAny(ReadResult.Good.class, ReadResult.Bad.class);
    }
  }

  @Test
  void written_record_is_read_back() {
    MemberId pod = new MemberId("ml", "train-0", "u0");
    var reservation =
        Reservation.open(
                new GangId("ml", Origin.POD_GROUP, "train"),
                Instant.EPOCH,
                Instant.parse("2026-11-01T10:02:00Z"))
            .with(Promise.keep(pod, new NodeId("gpu-07"), Instant.EPOCH));

    String text = ReservationRecord.text(reservation);

    assertThat(text)
        .isEqualTo(
            "{\"version\":1,\"until\":\"2026-11-01T10:02:00Z\",\"members\":{\"train-0\":{\"uid\":\"u0\",\"node\":\"gpu-07\"}}}");
    assertThat(recorded(text).get(pod)).contains(new NodeId("gpu-07"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[]",
        "{\"version\":2}",
        "{\"version\":1,\"members\":{\"p\":{\"uid\":\"\"}}}"
      })
  void malformed_record_counts_as_absent(String text) {
    assertThat(recorded(text).isEmpty()).isTrue();
  }

  private static SortedTable<MemberId, NodeId> recorded(String record) {
    return ReservationRecord.promises(
        Yaml.group(
            """
            apiVersion: scheduling.x-k8s.io/v1alpha1
            kind: PodGroup
            metadata: {namespace: ml, name: train, annotations: {muster.dev/reservation: '%s'}}
            """
                .formatted(record)),
        _ -> true);
  }
}
