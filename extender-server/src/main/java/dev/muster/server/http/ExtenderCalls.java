package dev.muster.server.http;

import dev.muster.core.gang.Member;
import dev.muster.core.state.State;
import dev.muster.server.http.extender.ExtenderAnswers;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.ExtenderWriter;
import dev.muster.server.http.extender.FilterAnswer;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.PreemptionArgs;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;

/// The extender calls of kube-scheduler, each answered from the newest image.
final class ExtenderCalls {
  private static final Duration PATIENCE = Duration.ofMillis(100);
  private static final int LOOK_AGAIN_MILLIS = 1;

  private final HttpDependencies dependencies;
  private final ExtenderAnswers extender;

  private volatile boolean consulted;

  ExtenderCalls(HttpDependencies dependencies) {
    this.dependencies = dependencies;
    this.extender = new ExtenderAnswers(dependencies.scope());
  }

  /// True once kube-scheduler has asked about a pod that Muster places. Until then, only gates keep
  /// pods from starting.
  boolean isConsulted() {
    return consulted;
  }

  private State image() {
    return dependencies.image().get();
  }

  private ExtenderArgs args(byte[] body) throws MalformedRequest {
    return ExtenderReader.args(body, dependencies.scope().accelerators());
  }

  /// Answers a filter call, after a short wait if the pod is still unknown. A refusal would cost
  /// kube-scheduler a patch, an Event and another attempt. The wait blocks no thread.
  void filterOrWait(RoutingContext ctx, byte[] body) {
    try {
      settle(ctx, args(body), System.nanoTime() + PATIENCE.toNanos());
    } catch (MalformedRequest malformed) {
      HttpAnswer.refusal(400, malformed.problem()).send(ctx);
    }
  }

  private void settle(RoutingContext ctx, ExtenderArgs args, long until) {
    try {
      if (System.nanoTime() < until && extender.isUndecided(image(), args)) {
        ctx.vertx().setTimer(LOOK_AGAIN_MILLIS, _ -> settle(ctx, args, until));
      } else {
        filter(args).send(ctx);
      }
    } catch (RuntimeException bug) {
      ctx.fail(bug); // an exception in a timer would leave the request without answer
    }
  }

  /// Returns the answer to a filter call, without a wait.
  HttpAnswer filter(byte[] body) throws MalformedRequest {
    return filter(args(body));
  }

  private HttpAnswer filter(ExtenderArgs args) {
    State image = image();
    Optional<Member> member = extender.known(image, args);
    consulted = consulted || member.isPresent();
    member.ifPresent(asked -> dependencies.asked().accept(image, asked));
    FilterAnswer answer = extender.filter(image, args);
    return HttpAnswer.json(ExtenderWriter.filter(answer, args.casing()))
        .as(answer.error().isEmpty() ? "ok" : "error");
  }

  /// Returns the answer to a prioritize call.
  HttpAnswer prioritize(byte[] body) throws MalformedRequest {
    ExtenderArgs args = args(body);
    refuse(extender.problem(args));
    return HttpAnswer.json(
        ExtenderWriter.scores(extender.prioritize(image(), args), args.casing()));
  }

  /// Returns the answer to a preempt call.
  HttpAnswer preempt(byte[] body) throws MalformedRequest {
    PreemptionArgs args = ExtenderReader.preemption(body, dependencies.scope().accelerators());
    refuse(extender.problem(args.pod()));
    return HttpAnswer.json(
        ExtenderWriter.preemption(
            extender.preempt(image(), dependencies.policies().get(), args), args.casing()));
  }

  /// Refuses by the status, because these answers have no field for an error.
  private static void refuse(Optional<String> problem) throws MalformedRequest {
    if (problem.isPresent()) {
      throw new MalformedRequest(problem.get());
    }
  }
}
