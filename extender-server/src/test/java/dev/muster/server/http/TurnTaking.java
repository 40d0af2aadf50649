package dev.muster.server.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Some connections that make one call at once, then the next, round after round.
final class TurnTaking implements AutoCloseable {
  /// One kind of call with its durations.
  static final class Call {
    private final String name;
    private final List<byte[]> requests;
    private long[] nanos = new long[1024];
    private int count;

    /// @param requests whole HTTP requests, of which one after the other is sent
    Call(String name, List<byte[]> requests) {
      this.name = name;
      this.requests = List.copyOf(requests);
    }

    String name() {
      return name;
    }

    byte[] request(int round) {
      return requests.get(round % requests.size());
    }

    synchronized int count() {
      return count;
    }

    synchronized void took(long time) {
      nanos = count == nanos.length ? Arrays.copyOf(nanos, 2 * count) : nanos;
      nanos[count++] = time;
    }

    synchronized void forget() {
      count = 0;
    }

    synchronized long nanos(int percentile) {
      Arrays.sort(nanos, 0, count);
      return nanos[Math.min(count - 1, count * percentile / 100)];
    }
  }

  private final List<Call> calls;
  private final List<Socket> sockets = new ArrayList<>();
  private final ExecutorService threads;

  TurnTaking(int port, int connections, List<Call> calls) throws IOException {
    this.calls = calls;
    this.threads = Executors.newFixedThreadPool(connections);
    for (int i = 0; i < connections; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      sockets.add(socket);
    }
  }

  List<Call> calls() {
    return calls;
  }

  void forget() {
    calls.forEach(Call::forget);
  }

  /// Takes turns for this long, and so many rounds at least.
  void run(Duration time, int rounds) throws Exception {
    long end = System.nanoTime() + time.toNanos();
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger left = new AtomicInteger(rounds * (calls.size() + 1));
    CyclicBarrier together =
        new CyclicBarrier(
            sockets.size(), () -> over.set(left.decrementAndGet() < 0 && System.nanoTime() >= end));
    List<Callable<Void>> clients = new ArrayList<>();
    for (Socket socket : sockets) {
      clients.add(() -> turns(socket, together, over));
    }
    for (Future<Void> client : threads.invokeAll(clients)) {
      client.get();
    }
  }

  private Void turns(Socket socket, CyclicBarrier together, AtomicBoolean over) throws Exception {
    byte[] buffer = new byte[4 << 20];
    List<Call> order = new ArrayList<>(calls);
    for (int round = 0; !over.get(); round++) {
      // In another order each time: a call must not always pay for the one before it.
      Collections.shuffle(order, new Random(round));
      for (Call call : order) {
        together.await();
        long start = System.nanoTime();
        socket.getOutputStream().write(call.request(round));
        readAnswer(socket.getInputStream(), buffer);
        call.took(System.nanoTime() - start);
      }
      together.await();
    }
    return null;
  }

  private static final Pattern LENGTH =
      Pattern.compile("(?i)^HTTP/1.1 200 .*\r\ncontent-length: *(\\d+)\r\n.*", Pattern.DOTALL);

  /// Reads one answer of status 200.
  static void readAnswer(InputStream in, byte[] buffer) throws IOException {
    int have = 0;
    int whole = Integer.MAX_VALUE;
    while (have < whole) {
      int read = in.read(buffer, have, buffer.length - have);
      if (read <= 0) {
        throw new EOFException("The server closed the connection.");
      }
      whole = have == 0 ? length(buffer, read) : whole;
      have += read;
    }
  }

  /// The length of the answer whose head is in the first piece.
  private static int length(byte[] buffer, int read) throws IOException {
    String first = new String(buffer, 0, Math.min(read, 300), StandardCharsets.ISO_8859_1);
    int head = first.indexOf("\r\n\r\n") + 4;
    Matcher length = LENGTH.matcher(first.substring(0, head));
    if (head < 4 || !length.matches()) {
      throw new IOException("Not an answer of status 200: " + first);
    }
    return head + Integer.parseInt(length.group(1));
  }

  @Override
  public void close() throws IOException {
    threads.shutdownNow();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
