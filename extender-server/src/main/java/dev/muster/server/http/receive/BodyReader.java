package dev.muster.server.http.receive;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Gathers the body of a request. Calls of hundreds of kilobytes arrive hundreds of times a second.
///
/// Any client that reaches the port may send anything. So memory is taken as bytes arrive, whatever
/// the client announces. Each body has limited time, and few large bodies of callers without
/// certificate are read at one time ([ReadingSlots]).
///
/// @param most maximum length; longer bodies are refused with 413
/// @param intake limits of all bodies together
/// @param memory memory for a body by its announced length; beyond it, bodies are refused with 503
/// @param whole receives the complete body
/// @param refusal answers instead of 413 and 503
public record BodyReader(
    long most, Intake intake, LongFunction<BodyMemory> memory, WholeBody whole, Refusal refusal)
    implements Handler<RoutingContext> {
  /// The key of the [Caller] in the context of a request.
  public static final String CALLER = "caller";

  /// The pieces after which their mean length counts. A chunk of one byte takes as long to decode
  /// as one of some kilobytes, so a body of such chunks would hold the event loop for seconds.
  private static final int MANY_PIECES = 256;

  private static final int SMALL_PIECE = 64; // bytes
  private static final long PATIENCE_MILLIS = 30_000;

  /// The failure of a body in pieces of less than 64 bytes.
  public static final class SmallPieces extends IOException {
    private SmallPieces() {
      super("the body arrives in pieces of less than 64 bytes");
    }
  }

  /// Receives a complete body.
  @FunctionalInterface
  public interface WholeBody {
    void accept(RoutingContext ctx, ReceivedBody body);
  }

  /// Answers a body that is not read, because it is too long or memory is short.
  ///
  /// @param begin the bytes of the body that the answer needs; they are read first
  /// @param answer sends the answer
  public record Refusal(int begin, OfBegin answer) {
    private static final Refusal NONE = new Refusal(0, (_, _, _) -> false);

    /// Answers a body by its first bytes.
    @FunctionalInterface
    public interface OfBegin {
      /// Returns false if there is no answer for such a body; then the status is the answer.
      ///
      /// @param status 413 or 503
      boolean send(RoutingContext ctx, int status, byte[] begin);
    }
  }

  /// Creates a reader of calls, which refuses with the status only.
  public BodyReader(long most, Intake intake, WholeBody whole) {
    this(most, intake, _ -> intake.calls(), whole, Refusal.NONE);
  }

  /// Returns a reader of admission reviews.
  public static BodyReader ofReviews(long most, Intake intake, WholeBody whole, Refusal refusal) {
    return new BodyReader(most, intake, intake::reviews, whole, refusal);
  }

  /// Returns the caller of the request.
  public static Caller caller(RoutingContext ctx) {
    return Objects.requireNonNull(ctx.get(CALLER));
  }

  @Override
  public void handle(RoutingContext ctx) {
    HttpServerRequest request = ctx.request();
    long said = length(request);
    Gathering body = new Gathering(ctx, said);
    request.exceptionHandler(problem -> body.fail(400, problem));
    request.handler(body::add);
    request.endHandler(_ -> body.end());
    if (request.headers().contains(HttpHeaders.EXPECT, "100-continue", true)
        && (said <= most || refusal.begin() > 0)) {
      request.response().writeContinue();
    }
    if (said > most) {
      body.refuse(413, Buffer.buffer());
    }
  }

  /// Returns the length that the client announces; -1 without an announcement.
  private static long length(HttpServerRequest request) {
    String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException _) {
      return -1; // already refused by the HTTP parser
    }
  }

  private final class Gathering implements ReadingSlots.Arrival {
    private final RoutingContext ctx;
    private final Caller caller;
    private final Caller.Request request;
    private final Context loop;
    private ReceivedBody received = new ReceivedBody();
    private final long said; // announced length
    private final BodyMemory budget;
    private final long deadline;
    private int pieces;
    private long taken;
    private final Buffer begin = Buffer.buffer(); // of a refused body
    private int refused; // the status; 0: not so far
    private boolean failed;
    private boolean ended;
    private int free = Intake.SMALL; // bytes that may come without slot
    private boolean reads; // with a slot
    private final ReadingSlots slots;
    private ReadingSlots.@Nullable Body slot; // or the place in the queue

    Gathering(RoutingContext ctx, long said) {
      this.ctx = ctx;
      this.caller = caller(ctx);
      this.slots = intake.slots(caller);
      this.loop = ctx.vertx().getOrCreateContext();
      this.said = said < 0 ? Long.MAX_VALUE : said;
      this.budget = memory.apply(this.said);
      this.deadline =
          ctx.vertx()
              .setTimer(
                  PATIENCE_MILLIS, _ -> fail(408, new IOException("the body was not read whole")));
      ctx.addHeadersEndHandler(_ -> leave()); // a caller that reads no answer holds nothing
      ctx.addEndHandler(_ -> leave());
      this.request = caller.begin(ctx);
    }

    /// Counts a part of the body. Leaves the rest unread while it needs a slot.
    private void count(int part) {
      if (slot != null && reads) {
        slots.deliver(slot, part);
      } else {
        free -= part;
        if (slot == null && free < 0 && received.length() < said) {
          FlowControl.pause(ctx.request());
          slot = slots.enter(caller.address(), Math.min(said, most), this);
          slots.watch(ctx.vertx());
        }
      }
    }

    @Override
    public void read() {
      loop.runOnContext(_ -> {
        reads = true;
        FlowControl.resume(ctx.request());
      });
    }

    @Override
    public void lose() {
      loop.runOnContext(_ -> {
        reads = false;
        slot = null;
        free = Intake.SMALL;
      });
    }

    /// Reserves more bytes; returns false if memory is short.
    private boolean take(int more) {
      boolean granted = budget.take(caller, more);
      taken += granted ? more : 0;
      return granted;
    }

    private void leave() {
      ctx.vertx().cancelTimer(deadline);
      freeSlot();
      budget.give(caller, taken);
      taken = 0;
    }

    private void freeSlot() {
      if (slot != null) {
        slots.leave(slot);
        slot = null;
      }
    }

    void add(Buffer part) {
      if (failed) {
        return;
      }
      int longer = begin.length() + received.length() + part.length();
      pieces++;
      if (pieces > MANY_PIECES && longer / pieces < SMALL_PIECE) {
        fail(400, new SmallPieces());
        return;
      }
      if (refused != 0 || longer > most) {
        refuse(refused == 0 ? 413 : refused, part);
        return;
      }
      int missing = received.missing(part.length(), said);
      if (missing > 0 && !take(missing)) {
        refuse(503, part);
        return;
      }
      received.append(part, missing);
      if (!caller.isCertified()) {
        count(part.length());
      }
    }

    /// Refuses the request, once the begin of its body is there.
    ///
    /// @param part more of the body
    void refuse(int status, Buffer part) {
      if (refused == 0) {
        refused = status;
        begin.appendBytes(received.begin(refusal.begin()));
        received = new ReceivedBody();
      }
      begin.appendBuffer(part, 0, Math.min(part.length(), refusal.begin() - begin.length()));
      if (begin.length() == refusal.begin()) {
        drop();
        answer();
      }
    }

    private void answer() {
      if (!refusal.answer().send(ctx, refused, begin.getBytes())) {
        ctx.fail(refused);
      }
    }

    /// Fails the request.
    void fail(int status, Throwable problem) {
      if (!failed && !ended) {
        drop();
        ctx.fail(status, problem);
      }
    }

    /// Reads no more than a little of the body.
    private void drop() {
      failed = true;
      received = new ReceivedBody();
      ctx.request().handler(new BodyRest(ctx.request()));
    }

    void end() {
      ctx.vertx().cancelTimer(deadline);
      if (failed) {
        return;
      }
      ended = true;
      if (refused != 0) {
        answer();
      } else {
        request.receive();
        if (slot != null) {
          slots.complete(slot);
        }
        ReceivedBody body = received;
        received = new ReceivedBody(); // the call may be dropped before this request
        whole.accept(ctx, body);
      }
    }
  }
}
