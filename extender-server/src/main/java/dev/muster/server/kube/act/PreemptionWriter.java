package dev.muster.server.kube.act;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.GangId;
import dev.muster.core.gang.MemberId;
import dev.muster.core.state.Effect;
import dev.muster.server.kube.client.ApiCalls;
import dev.muster.server.kube.client.GangObjects;
import dev.muster.server.kube.client.JsonBodies;
import dev.muster.server.kube.client.ObjectRef;
import dev.muster.server.kube.client.ResourcePaths;
import dev.muster.server.kube.client.Retries;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.server.kube.codec.VictimsRecord;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes preemptions to the objects of the gangs before any pod is evicted.
///
/// @param api access to the API server
/// @param events destination of Events for owners
/// @param objects current PodGroups and pods
/// @param eviction test of single evictions
/// @param budgets test of joint evictions
/// @param refused what objects refuse
public record PreemptionWriter(
    ApiCalls api,
    EventWriter events,
    GangObjects objects,
    PodEviction eviction,
    DisruptionBudgets budgets,
    RefusedRecords refused) {
  private static final Logger log = LoggerFactory.getLogger(PreemptionWriter.class);

  /// Records the victims of the gang's preemption, or removes the record if there are none.
  ///
  /// @param pods pods of the gang: a lone pod carries its own record
  /// @param retries retries after a failure
  public ApiCalls.Answer record(Effect.RecordVictims record, List<MemberId> pods, Retries retries) {
    @Nullable String text =
        record.victims().isEmpty() ? null : VictimsRecord.text(record.victims());
    TreeMap<String, @Nullable String> annotations = new TreeMap<>();
    annotations.put(WellKnownNames.VICTIMS, text);
    if (text == null) {
      log.info(
          "{}: preemption cancelled (no longer needed, or its recorded victims are not trusted)",
          record.gang());
    }
    return retries.until(() -> annotated(record.gang(), pods, annotations));
  }

  /// The reason why a member could not be notified or must not be evicted.
  ///
  /// @param pod the member's pod
  /// @param refused true if its eviction is refused for now: by a disruption budget or the pod, or
  ///   because the budgets cannot be read
  /// @param problem description of the error
  public record Hindrance(MemberId pod, boolean refused, String problem) {}

  /// Notifies a victim, unless one of its pods could not be evicted now. The victim counts as
  /// notified, and its owner gets the Event, once all annotations are written or refused. An owner
  /// who makes its object unwritable thus loses only the notice.
  public Optional<Hindrance> notifyVictim(Effect.TellVictim tell) {
    List<MemberId> pods = tell.notice().victim().members().asList();
    Optional<Hindrance> hindrance = hindrance(pods, tell.notice().overBudgets());
    if (hindrance.isPresent()) {
      complain(tell, hindrance.get());
      return hindrance;
    }
    TreeMap<String, @Nullable String> annotations = new TreeMap<>();
    annotations.put(WellKnownNames.PREEMPTED_BY, VictimsRecord.text(tell.notice()));
    annotations.put(WellKnownNames.PREEMPTED_AT, VictimsRecord.text(tell.notice().stopped()));
    Optional<Hindrance> untold =
        unwritten(tell, annotated(tell.gang(), pods, annotations))
            .map(words -> new Hindrance(pods.getFirst(), false, words))
            .or(() -> tell.notice().deadline().flatMap(at -> untold(tell, pods, at.toString())));
    if (untold.isEmpty()) {
      events(tell);
    }
    return untold;
  }

  private void complain(Effect.TellVictim tell, Hindrance hindrance) {
    if (eviction.throttle().isNew(tell.gang() + hindrance.problem())) {
      log.warn(
          "{} is not preempted for {}: pod {}: {}",
          tell.gang(),
          tell.notice().by(),
          hindrance.pod(),
          hindrance.problem());
    }
  }

  /// Returns the problem of a write that may succeed later. A refused one is told and ends here.
  private Optional<String> unwritten(Effect.TellVictim tell, ApiCalls.Answer answer) {
    if (answer.isRefusal()) {
      refused.notice(tell.gang(), tell.notice().victim().members().asList(), answer);
      return Optional.empty();
    }
    return answer.isReplaced() ? Optional.of(answer.problem()) : problem(answer);
  }

  /// Returns the first pod whose deadline could not be written: it would be evicted without notice.
  private Optional<Hindrance> untold(Effect.TellVictim tell, List<MemberId> pods, String deadline) {
    List<ApiCalls.Answer> answers = deadline(pods, deadline);
    answers.stream()
        .filter(ApiCalls.Answer::isRefusal)
        .findFirst()
        .ifPresent(answer -> refused.notice(tell.gang(), pods, answer));
    for (int i = 0; i < pods.size(); i++) {
      Optional<String> problem =
          Optional.of(answers.get(i))
              .filter(answer -> !answer.isRefusal())
              .flatMap(PreemptionWriter::problem);
      if (problem.isPresent()) {
        return Optional.of(new Hindrance(pods.get(i), false, problem.get()));
      }
    }
    return Optional.empty();
  }

  /// Returns the first pod that could not be evicted now, or not together with the others.
  private Optional<Hindrance> hindrance(List<MemberId> pods, boolean overBudgets) {
    List<ApiCalls.Answer> answers = ParallelCalls.each(pods, eviction::attempt);
    for (int i = 0; i < pods.size(); i++) {
      ApiCalls.Answer answer = answers.get(i);
      boolean forbidden = PodEviction.isForbidden(answer);
      if (!answer.isGood() && !answer.isGone() && !(forbidden && overBudgets)) {
        return Optional.of(
            new Hindrance(pods.get(i), PodEviction.isRefused(answer), answer.problem()));
      }
    }
    return overBudgets ? Optional.empty() : budgets.hindrance(pods);
  }

  private void events(Effect.TellVictim tell) {
    Effect.Notice notice = tell.notice();
    String text =
        "Preempted%s for %s by the rule %s%s: %d GPU-seconds of work are lost. The gang is requeued with its original age."
            .formatted(
                notice.deadline().map(at -> " no later than " + at).orElse(""),
                notice.by(),
                notice.victim().rule(),
                notice.revision().isEmpty() ? "" : " of policy " + notice.revision(),
                notice.victim().lostWork());
    var event = new EventWriter.Notice(true, Effect.PREEMPTED, text);
    objects.find(tell.gang()).ifPresent(group -> events.write(ObjectRef.to(group), event));
    if (notice.deadline().isPresent()) {
      ParallelCalls.each(
          notice.victim().members().asList(),
          pod -> {
            events.write(ObjectRef.to(pod), event);
            return pod;
          });
    }
  }

  /// Withdraws the notice of a victim. The engine requests this only once.
  ///
  /// @param retries retries after a failure
  public void reprieve(Effect.Reprieve reprieve, List<MemberId> pods, Retries retries) {
    GangId gang = reprieve.gang();
    String times = VictimsRecord.text(reprieve.stopped());
    TreeMap<String, @Nullable String> annotations = new TreeMap<>();
    annotations.put(WellKnownNames.PREEMPTED_BY, null);
    annotations.put(WellKnownNames.PREEMPTED_AT, times.isEmpty() ? null : times);
    problem(retries.until(() -> annotated(gang, pods, annotations)))
        .ifPresent(problem -> log.warn("The reprieve of {} was not written: {}", gang, problem));
    problem(retries.until(() -> worst(deadline(pods, null))))
        .ifPresent(problem ->
            log.warn("The preemption deadline of {} was not removed: {}", gang, problem));
    String text = "Reprieved: preemption for %s is no longer needed.".formatted(reprieve.by());
    objects
        .find(gang)
        .ifPresent(group ->
            events.write(ObjectRef.to(group), new EventWriter.Notice(false, "Reprieved", text)));
  }

  private List<ApiCalls.Answer> deadline(List<MemberId> pods, @Nullable String at) {
    TreeMap<String, @Nullable String> annotations = new TreeMap<>();
    annotations.put(WellKnownNames.PREEMPTION_DEADLINE, at);
    return ParallelCalls.each(pods, pod -> patch(pod, annotations));
  }

  /// Returns an answer that a retry may improve, if any, else a failure, if any.
  private static ApiCalls.Answer worst(List<ApiCalls.Answer> answers) {
    return answers.stream()
        .filter(ApiCalls.Answer::isPassing)
        .findFirst()
        .or(() -> answers.stream().filter(answer -> problem(answer).isPresent()).findFirst())
        .orElse(new ApiCalls.Answer(200, "{}"));
  }

  /// Annotates the PodGroup, or the pod if there is none. A Volcano gang without PodGroup has no
  /// object to annotate.
  private ApiCalls.Answer annotated(
      GangId gang, List<MemberId> pods, Map<String, @Nullable String> annotations) {
    Optional<GenericKubernetesResource> group = objects.find(gang);
    if (group.isPresent()) {
      ObjectNode patch = patch(group.get().getMetadata().getUid(), annotations);
      return api.patch(ResourcePaths.of(group.get()), ApiCalls.MERGE, patch);
    }
    return gang.origin() == GangId.Origin.POD && !pods.isEmpty()
        ? patch(pods.getFirst(), annotations)
        : new ApiCalls.Answer(200, "{}");
  }

  private ApiCalls.Answer patch(MemberId pod, Map<String, @Nullable String> annotations) {
    return api.patch(ResourcePaths.of(pod), ApiCalls.MERGE, patch(pod.uid(), annotations));
  }

  private static ObjectNode patch(String uid, Map<String, @Nullable String> annotations) {
    ObjectNode patch = JsonBodies.patchOf(uid);
    ObjectNode said = patch.withObject("/metadata/annotations");
    annotations.forEach(said::put);
    return patch;
  }

  private static Optional<String> problem(ApiCalls.Answer answer) {
    return answer.isGood() || answer.isGone() ? Optional.empty() : Optional.of(answer.problem());
  }
}
