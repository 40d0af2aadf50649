package dev.muster.server.http;

import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.CallQueue;
import dev.muster.server.http.receive.FlowControl;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// Answers that are made in their turn, on other threads than the one that reads.
///
/// @param queue calls that wait for these threads
/// @param image the image that pages show
record QueuedAnswers(CallQueue queue, PageImage image) {
  /// Returns the threads for a request of the current thread. Work that fails refuses the request.
  ///
  /// @param size length of its body in bytes
  Executor ofBody(RoutingContext ctx, long size) {
    Executor loop = FlowControl.thread(ctx.request());
    return work ->
        inTurn(
            ctx,
            guarded(ctx, loop, work),
            guarded -> queue.add(BodyReader.caller(ctx), size, guarded));
  }

  /// Sends an answer to a request of the current thread.
  ///
  /// @param size length of its body in bytes
  void send(RoutingContext ctx, long size, Supplier<HttpAnswer> answer) {
    ofBody(ctx, size).execute(sending(ctx, FlowControl.thread(ctx.request()), answer));
  }

  /// Sends a page to a request of the current thread. Pages have a thread of their own.
  void sendPage(RoutingContext ctx, Supplier<HttpAnswer> page) {
    Executor loop = FlowControl.thread(ctx.request());
    long arrival = System.nanoTime();
    Runnable sending = sending(ctx, loop, ready(ctx, page));
    inTurn(
        ctx,
        guarded(
            ctx,
            loop,
            () -> {
              image.refresh(arrival);
              sending.run();
            }),
        work -> queue.addPage(BodyReader.caller(ctx), work));
  }

  /// Compresses the page on the thread that makes it.
  private static Supplier<HttpAnswer> ready(RoutingContext ctx, Supplier<HttpAnswer> page) {
    Consumer<HttpAnswer> packing = HttpAnswer.packing(ctx);
    return () -> {
      HttpAnswer answer = page.get();
      packing.accept(answer);
      return answer;
    };
  }

  private static Runnable sending(RoutingContext ctx, Executor loop, Supplier<HttpAnswer> answer) {
    return () -> {
      HttpAnswer ready = answer.get();
      loop.execute(() -> ready.send(ctx));
    };
  }

  /// Returns work after whose failure the request is refused.
  private static Runnable guarded(RoutingContext ctx, Executor loop, Runnable work) {
    return () -> {
      try {
        work.run();
      } catch (RuntimeException bug) {
        loop.execute(() -> ctx.fail(bug));
      }
    };
  }

  /// Does the work in its turn. It is dropped with the body when the caller leaves before.
  ///
  /// @param queue takes the work, and returns what takes it out again
  private static void inTurn(RoutingContext ctx, Runnable work, UnaryOperator<Runnable> queue) {
    if (!ctx.response().closed()) {
      Runnable drop = queue.apply(work);
      ctx.addEndHandler(_ -> {
        if (!ctx.response().ended()) {
          drop.run();
        }
      });
    }
  }
}
