package dev.muster.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/// Encodes each log event as one flat JSON object.
///
/// The order of keys: time, level, logger, thread, message, then the event's own keys, then the
/// exception.
public final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    ObjectNode line =
        JsonNodeFactory.instance
            .objectNode()
            .put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString())
            .put("level", event.getLevel().toString())
            .put("logger", event.getLoggerName())
            .put("thread", event.getThreadName())
            .put("message", event.getFormattedMessage());
    if (event.getKeyValuePairs() != null) {
      event.getKeyValuePairs().forEach(pair -> put(line, pair.key, pair.value));
    }
    if (event.getThrowableProxy() != null) {
      line.put("error", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    return (line + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static void put(ObjectNode line, String key, Object value) {
    switch (value) {
      case Long number -> line.put(key, number);
      case Integer number -> line.put(key, number);
      case Boolean flag -> line.put(key, flag);
      case null, default -> line.put(key, String.valueOf(value));
    }
  }
}
