package dev.muster.server.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.muster.server.kube.client.KubeSettings;
import dev.muster.server.loop.Mailbox;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/// Requests in progress at shutdown fail without a message.
@Timeout(60)
class OutboxStopTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.muster.server.kube");
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final CountDownLatch stopped = new CountDownLatch(1);
  @AutoClose private final ScriptedApi api = new ScriptedApi();
  private final AppenderBase<ILoggingEvent> listener =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
            warnings.add(event.getFormattedMessage());
          }
        }
      };

  @BeforeEach
  void listen() {
    listener.start();
    logger.addAppender(listener);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(listener);
  }

  private boolean refusedAtTheEnd() {
    boolean interrupted = true;
    while (interrupted) {
      try {
        stopped.await();
        interrupted = false;
      } catch (InterruptedException _) {
        // the answer comes in the end only
      }
    }
    throw new KubernetesClientException("the connection was reset");
  }

  @Test
  void request_in_progress_at_shutdown_fails_silently() {
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger answered = new AtomicInteger();
    api.answers(_ -> {
      asked.incrementAndGet();
      try {
        return new ScriptedApi.Reply(refusedAtTheEnd() ? 200 : 500, "");
      } catch (KubernetesClientException _) {
        answered.incrementAndGet();
        return ScriptedApi.Reply.refused(403, "no more");
      }
    });
    KubernetesClient client = api.client();
    KubeInbox inbox =
        KubeInbox.start(
            new KubeInbox.Ends(
                client,
                _ -> refusedAtTheEnd(),
                new Mailbox(100),
                () -> true,
                _ -> {},
                _ -> {},
                InstantSource.system()),
            KubeSettings.DEFAULT);
    await().until(() -> asked.get() >= 4);

    inbox.close();
    stopped.countDown();

    await().until(() -> answered.get() == asked.get());
    await().pollDelay(Duration.ofMillis(300)).until(() -> true);
    client.close();
    await().pollDelay(Duration.ofMillis(300)).until(() -> true);
    assertThat(warnings).isEmpty();
  }
}
