package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/// A Jackson module that reads and writes [Duration] as [Durations] does, `"1h30m"`, and reads
/// [Instant] as [Times] does.
public final class DurationModule extends SimpleModule {

  public DurationModule() {
    super("muster-durations");
    addSerializer(Duration.class, new Writer());
    addDeserializer(Duration.class, new Reader());
    addDeserializer(Instant.class, new TimeReader());
  }

  private static final class TimeReader extends StdDeserializer<Instant> {
    TimeReader() {
      super(Instant.class);
    }

    @Override
    public Instant deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      try {
        return Times.parse(parser.getText());
      } catch (IllegalArgumentException refused) {
        return context.reportInputMismatch(this, "%s", refused.getMessage());
      }
    }
  }

  private static final class Writer extends StdSerializer<Duration> {
    Writer() {
      super(Duration.class);
    }

    @Override
    public void serialize(Duration value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeString(Durations.print(value));
    }
  }

  private static final class Reader extends StdDeserializer<Duration> {
    Reader() {
      super(Duration.class);
    }

    @Override
    public Duration deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      if (!parser.hasToken(JsonToken.VALUE_STRING)) {
        return context.reportInputMismatch(
            this, "A duration is a text with units. %s", Durations.REMEDY);
      }
      try {
        return Durations.parse(parser.getText());
      } catch (IllegalArgumentException refused) {
        return context.reportInputMismatch(this, "%s", refused.getMessage());
      }
    }
  }
}
