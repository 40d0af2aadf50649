package dev.muster.policy.file;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.FromStringDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.time.Duration;

/** Lets Jackson read and write {@link Duration} as {@link Durations} does: {@code "1h30m"}. */
public final class DurationModule extends SimpleModule {

  public DurationModule() {
    super("muster-durations");
    addSerializer(Duration.class, new Writer());
    addDeserializer(Duration.class, new Reader());
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

  private static final class Reader extends FromStringDeserializer<Duration> {
    Reader() {
      super(Duration.class);
    }

    @Override
    public Duration deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      if (!parser.currentToken().isScalarValue() || parser.currentToken().isNumeric()) {
        throw context.weirdStringException(
            parser.getText(), Duration.class, "A duration needs a unit. " + Durations.REMEDY);
      }
      return super.deserialize(parser, context);
    }

    @Override
    protected Duration _deserialize(String text, DeserializationContext context)
        throws IOException {
      try {
        return Durations.parse(text);
      } catch (IllegalArgumentException refused) {
        throw context.weirdStringException(text, Duration.class, refused.getMessage());
      }
    }
  }
}
