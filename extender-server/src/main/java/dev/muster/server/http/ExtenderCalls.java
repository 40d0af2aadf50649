package dev.muster.server.http;

import dev.muster.core.gang.Member;
import dev.muster.core.state.State;
import dev.muster.server.http.extender.ExtenderAnswers;
import dev.muster.server.http.extender.ExtenderArgs;
import dev.muster.server.http.extender.ExtenderPod;
import dev.muster.server.http.extender.ExtenderReader;
import dev.muster.server.http.extender.ExtenderWriter;
import dev.muster.server.http.extender.FilterAnswer;
import dev.muster.server.http.extender.MalformedRequest;
import dev.muster.server.http.extender.PreemptionArgs;
import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.Caller;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;

/// The extender calls of kube-scheduler, each answered from the newest image.
final class ExtenderCalls {
  private static final Duration PATIENCE = Duration.ofMillis(100);
  private static final int LOOK_AGAIN_MILLIS = 1;

  /// The calls of known callers, and the calls of strangers, that look again each millisecond.
  private static final int MOST_LOOKING = 16;

  private final HttpDependencies dependencies;
  private final ExtenderAnswers extender;

  private final Semaphore known = new Semaphore(MOST_LOOKING);
  private final Semaphore strangers = new Semaphore(MOST_LOOKING);

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
    ExtenderArgs args = ExtenderReader.args(body, dependencies.scope().accelerators());
    return new ExtenderArgs(
        args.pod().map(dependencies.scope()::grouped), args.offer(), args.casing());
  }

  /// Answers a filter call, after a short wait if the pod is still unknown. A refusal would cost
  /// kube-scheduler a patch, an Event and another attempt. The wait blocks no thread.
  ///
  /// kube-scheduler makes one call at a time, but others can make thousands. So few calls look each
  /// millisecond whether the pod is known now, and the others look once at the end of the wait. A
  /// call waits as bytes, which are counted, and is parsed again: names of nodes take up to 15
  /// times as much memory when parsed.
  ///
  /// @param loop the thread of the request, which waits and sends
  /// @param answering the thread that finds the answer
  void filterOrWait(RoutingContext ctx, byte[] body, Executor loop, Executor answering) {
    try {
      ExtenderArgs args = args(body);
      if (!extender.isUndecided(image(), args)) {
        HttpAnswer answer = filter(BodyReader.caller(ctx), args);
        loop.execute(() -> answer.send(ctx));
        return;
      }
      ExtenderPod pod = args.pod().orElseThrow().inBrief();
      Semaphore looking = BodyReader.caller(ctx).isKnown() ? known : strangers;
      long until = System.nanoTime() + PATIENCE.toNanos();
      loop.execute(() -> {
        boolean looks = looking.tryAcquire();
        long pause = looks ? LOOK_AGAIN_MILLIS : PATIENCE.toMillis() + LOOK_AGAIN_MILLIS;
        Runnable end = looks ? looking::release : () -> {};
        Runnable answer = () -> answering.execute(() -> answer(ctx, body, loop));
        settle(new Waiting(ctx, pod, until, pause, end, answer), loop);
      });
    } catch (MalformedRequest malformed) {
      loop.execute(() -> HttpAnswer.refusal(400, malformed.problem()).send(ctx));
    } catch (RuntimeException bug) {
      loop.execute(() -> ctx.fail(bug));
    }
  }

  /// A call about a pod that may become known.
  ///
  /// @param until nanoTime of the end of the wait
  /// @param pause time until the next look, in milliseconds
  /// @param end called at the end of the wait
  /// @param answer called after it
  private record Waiting(
      RoutingContext ctx, ExtenderPod pod, long until, long pause, Runnable end, Runnable answer) {}

  private void settle(Waiting call, Executor loop) {
    boolean waits = false;
    try {
      waits = System.nanoTime() < call.until && extender.isUndecided(image(), call.pod);
      if (waits) {
        call.ctx.vertx().setTimer(call.pause, _ -> settle(call, loop));
      } else {
        call.answer.run();
      }
    } catch (RuntimeException bug) {
      call.ctx.fail(bug); // an exception in a timer would leave the request without answer
    } finally {
      if (!waits) {
        call.end.run();
      }
    }
  }

  private void answer(RoutingContext ctx, byte[] body, Executor loop) {
    try {
      HttpAnswer answer = filter(BodyReader.caller(ctx), args(body));
      loop.execute(() -> answer.send(ctx));
    } catch (MalformedRequest | RuntimeException bug) {
      loop.execute(() -> ctx.fail(bug));
    }
  }

  private HttpAnswer filter(Caller caller, ExtenderArgs args) {
    State image = image();
    Optional<Member> member = extender.known(image, args.pod());
    if (member.isPresent()) {
      consulted = true;
      caller.recognize();
      dependencies.asked().accept(image, member.get());
    }
    FilterAnswer answer = extender.filter(image, args);
    return HttpAnswer.json(ExtenderWriter.filter(answer, args.casing()))
        .as(answer.error().isEmpty() ? "ok" : "error");
  }

  /// Returns the answer to a prioritize call.
  HttpAnswer prioritize(Caller caller, byte[] body) throws MalformedRequest {
    ExtenderArgs args = args(body);
    recognize(caller, args.pod());
    refuse(extender.problem(args));
    return HttpAnswer.json(
        ExtenderWriter.scores(extender.prioritize(image(), args), args.casing()));
  }

  /// Returns the answer to a preempt call.
  HttpAnswer preempt(Caller caller, byte[] body) throws MalformedRequest {
    PreemptionArgs read = ExtenderReader.preemption(body, dependencies.scope().accelerators());
    PreemptionArgs args =
        new PreemptionArgs(
            read.pod().map(dependencies.scope()::grouped), read.candidates(), read.casing());
    recognize(caller, args.pod());
    refuse(extender.problem(args.pod()));
    return HttpAnswer.json(
        ExtenderWriter.preemption(
            extender.preempt(image(), dependencies.policies().get(), args), args.casing()));
  }

  private void recognize(Caller caller, Optional<ExtenderPod> asked) {
    if (extender.known(image(), asked).isPresent()) {
      caller.recognize();
    }
  }

  /// Refuses by the status, because these answers have no field for an error.
  private static void refuse(Optional<String> problem) throws MalformedRequest {
    if (problem.isPresent()) {
      throw new MalformedRequest(problem.get());
    }
  }
}
