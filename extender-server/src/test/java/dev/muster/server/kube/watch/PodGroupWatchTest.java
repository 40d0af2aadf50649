package dev.muster.server.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.core.cluster.Event;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.GangId.Origin;
import dev.muster.server.kube.MockApi;
import dev.muster.server.kube.ScriptedApi;
import dev.muster.server.kube.Yaml;
import dev.muster.server.kube.client.ObjectProblem;
import dev.muster.server.kube.client.PodGroupDialect;
import dev.muster.server.kube.codec.PodGroupCodec;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class PodGroupWatchTest {
  private static final String OLD = "scheduling.k8s.io/v1alpha2";
  private static final String NEW = "scheduling.k8s.io/v1beta1";

  @AutoClose private final MockApi api = new MockApi();
  private final KubernetesClient client = api.client();
  private final Set<String> served = ConcurrentHashMap.newKeySet();
  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final List<ObjectProblem> told = new CopyOnWriteArrayList<>();

  private PodGroupWatch watch() {
    return watch(client);
  }

  private PodGroupWatch watch(KubernetesClient reader) {
    ChangeFilter facts = new ChangeFilter(events::add, InstantSource.fixed(Instant.EPOCH));
    ObjectProblems problems = new ObjectProblems(() -> true, told::add);
    return new PodGroupWatch(
        new PodGroupWatch.Ends(
            reader, new WatchHealth(InstantSource.system()), served::contains, facts, problems),
        new PodGroupCodec(PodGroupDialect.NATIVE, _ -> Optional.empty()));
  }

  @Test
  void missing_api_is_reported_once() {
    Logger logger = (Logger) LoggerFactory.getLogger(PodGroupWatch.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    logger.setLevel(Level.INFO);
    try (PodGroupWatch watch = watch()) {
      watch.check();
      watch.check();
    }
    logger.setLevel(null);
    logger.detachAppender(lines);

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("PodGroups of scheduling.k8s.io: not served");
  }

  /// To such a list an API server may answer with a state of any age, and gangs would vanish.
  @Test
  void no_list_may_be_older_than_the_last_seen_version() {
    served.add(NEW);
    try (ScriptedApi server = new ScriptedApi();
        KubernetesClient reader = server.client();
        PodGroupWatch watch = watch(reader)) {
      server.answers(_ ->
          new ScriptedApi.Reply(200, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}"));
      watch.check();
      await().until(() -> !server.calls("GET", "/podgroups").isEmpty());

      assertThat(server.queries()).first().asString().doesNotContain("resourceVersion=0");
    }
  }

  private void create(String version, String name) {
    client
        .genericKubernetesResources(PodGroupDialect.context(version))
        .inNamespace("ml")
        .resource(
            Yaml.group(
                """
                apiVersion: %s
                kind: PodGroup
                metadata: {namespace: ml, name: %s}
                spec: {schedulingPolicy: {gang: {minCount: 2}}}
                """
                    .formatted(version, name)))
        .create();
  }

  private static GangId gang(String name) {
    return new GangId("ml", Origin.NATIVE, name);
  }

  /// Follows the old version and then the new one, each of which lists these groups by their uids.
  private void upgrade(Map<String, String> before, Map<String, String> after) {
    Set<String> listed = ConcurrentHashMap.newKeySet();
    try (ScriptedApi lists = new ScriptedApi();
        KubernetesClient reader = lists.client();
        PodGroupWatch watch = watch(reader)) {
      lists.answers(call ->
          listed.add(call.path())
              ? call.path().contains(OLD) ? list(OLD, before) : list(NEW, after)
              : ScriptedApi.Reply.refused(404, "It cannot be watched."));
      served.add(OLD);
      watch.check();
      await().until(() -> events.size() == before.size());

      served.add(NEW);
      watch.check();
      await()
          .until(() ->
              watch
                  .find(gang("train"))
                  .filter(group -> group.getApiVersion().equals(NEW))
                  .isPresent());
      await().until(() -> events.size() > before.size());
    }
  }

  /// A list as the API server answers it: objects of its own kinds do not repeat the type.
  private static ScriptedApi.Reply list(String version, Map<String, String> uids) {
    List<String> items = new ArrayList<>();
    uids.forEach((name, uid) ->
        items.add(
            """
            {"metadata":{"namespace":"ml","name":"%s","uid":"%s","resourceVersion":"%s"},
             "spec":{"schedulingPolicy":{"gang":{"minCount":2}}}}
            """
                .formatted(name, uid, uid)));
    return new ScriptedApi.Reply(
        200,
        """
        {"apiVersion":"%s","kind":"PodGroupList","metadata":{"resourceVersion":"1"},"items":[%s]}
        """
            .formatted(version, String.join(",", items)));
  }

  @Test
  void start_switch_declares_no_gang() {
    served.add(NEW);
    create(NEW, "train.p0.gang.muster.dev");
    create(NEW, "train");
    try (PodGroupWatch watch = watch()) {
      watch.check();
      await().until(() -> !events.isEmpty() && watch.switches().size() == 1);

      assertThat(events)
          .singleElement()
          .isInstanceOfSatisfying(
              Event.GangSeen.class, seen -> assertThat(seen.gang()).isEqualTo(gang("train")));
      assertThat(watch.find("ml/train.p0.gang.muster.dev")).isPresent();
    }
  }

  /// Its creator may write as much into it as the API server accepts.
  @Test
  void start_switch_is_kept_without_what_nobody_reads() {
    served.add(NEW);
    create(NEW, "train.p0.gang.muster.dev");
    try (PodGroupWatch watch = watch()) {
      watch.check();
      await().until(() -> watch.switches().size() == 1);

      assertThat(watch.find(gang("train.p0.gang.muster.dev")).orElseThrow())
          .extracting(GenericKubernetesResource::getAdditionalProperties)
          .isEqualTo(Map.of());
    }
  }

  @Test
  void api_upgrade_loses_no_existing_gang() {
    upgrade(Map.of("train", "uid-1", "deletedMeanwhile", "uid-2"), Map.of("train", "uid-1"));

    assertThat(events)
        .filteredOn(Event.GangGone.class::isInstance)
        .containsExactly(new Event.GangGone(Instant.EPOCH, gang("deletedMeanwhile")));
  }

  /// It bears neither the record of what was promised to the other, nor what that showed.
  @Test
  void unnoticed_replacement_of_an_object_is_a_new_gang() {
    upgrade(Map.of("train", "uid-1"), Map.of("train", "uid-2"));

    await().until(() -> events.size() == 3);
    assertThat(events.get(1)).isEqualTo(new Event.GangGone(Instant.EPOCH, gang("train")));
    assertThat(events.get(2)).isInstanceOf(Event.GangSeen.class);
  }

  private void annotate(String name, String wish) {
    client
        .genericKubernetesResources(PodGroupDialect.context(NEW))
        .inNamespace("ml")
        .withName(name)
        .edit(group -> {
          group.getMetadata().setAnnotations(Map.of("muster.dev/runtime", wish));
          return group;
        });
  }

  @Test
  void unknown_muster_annotation_is_reported_and_the_gang_exists() {
    create(NEW, "train");
    client
        .genericKubernetesResources(PodGroupDialect.context(NEW))
        .inNamespace("ml")
        .withName("train")
        .edit(group -> {
          group.getMetadata().setAnnotations(Map.of("muster.dev/topology-require", "rack"));
          return group;
        });
    try (PodGroupWatch watch = watch()) {
      served.add(NEW);
      watch.check();
      await().until(() -> told.size() == 1);
      assertThat(told.getFirst().message())
          .isEqualTo(
              "The annotation muster.dev/topology-require (rack) is unknown and ignored."
                  + " Did you mean muster.dev/topology-required?");
      assertThat(events).hasAtLeastOneElementOfType(Event.GangSeen.class);
    }
  }

  /// Its pods may be starting, or run under its protection.
  @Test
  void new_mistake_keeps_the_last_valid_gang() {
    create(NEW, "train");
    try (PodGroupWatch watch = watch()) {
      served.add(NEW);
      watch.check();
      await().until(() -> events.size() == 1);

      annotate("train", "soon");
      await().until(() -> told.size() == 1);
      await().until(() -> events.size() == 2);
      assertThat(events).noneMatch(Event.GangGone.class::isInstance);
      assertThat(events.getLast())
          .isInstanceOfSatisfying(
              Event.DiscrepanciesSeen.class,
              seen -> assertThat(seen.found().declaration()).isPresent());

      annotate("train", "2h");
      await().until(() -> events.size() == 3);
      assertThat(events).noneMatch(Event.GangGone.class::isInstance);
    }
  }

  @Test
  void one_api_server_without_the_api_removes_no_gang() {
    create(NEW, "train");
    try (PodGroupWatch watch = watch()) {
      served.add(NEW);
      watch.check();
      await().until(() -> events.size() == 1);

      served.remove(NEW);
      watch.check();
      served.add(NEW);
      watch.check();

      assertThat(events).noneMatch(Event.GangGone.class::isInstance);
      assertThat(watch.find(gang("train"))).isPresent();
    }
  }

  @Test
  void permanent_end_of_the_api_removes_its_gangs() {
    create(NEW, "train");
    try (PodGroupWatch watch = watch()) {
      served.add(NEW);
      watch.check();
      await().until(() -> events.size() == 1);

      served.remove(NEW);
      for (int i = 0; i < 5; i++) {
        watch.check();
      }

      assertThat(events).contains(new Event.GangGone(Instant.EPOCH, gang("train")));
      assertThat(watch.isSynced()).isTrue();
    }
  }
}
