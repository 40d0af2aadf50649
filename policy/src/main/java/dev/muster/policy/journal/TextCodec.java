package dev.muster.policy.journal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import dev.muster.core.gang.NodeId;
import dev.muster.policy.file.Durations;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.Function;

/// Serializers of values that the journal writes as one text: nodes, instants and durations.
final class TextCodec extends SimpleModule {

  TextCodec() {
    super("muster-journal-texts");
    add(NodeId.class, NodeId::name, NodeId::new);
    add(Instant.class, Instant::toString, Instant::parse);
    add(Duration.class, TextCodec::print, TextCodec::duration);
  }

  private <T> void add(Class<T> type, Function<T, String> print, Function<String, T> parse) {
    addSerializer(type, new Writer<>(type, print));
    addDeserializer(type, new Reader<>(type, parse));
  }

  /// Returns the duration as admins write it, `2m`; as ISO 8601 if that form would lose precision.
  static String print(Duration duration) {
    boolean isWhole = duration.toNanosPart() % 1_000_000 == 0;
    boolean isOrdinary = !duration.isNegative() && duration.compareTo(Durations.LONGEST) <= 0;
    return isWhole && isOrdinary ? Durations.print(duration) : duration.toString();
  }

  /// Reads the output of [#print].
  ///
  /// @throws IllegalArgumentException if it is not a duration
  static Duration duration(String text) {
    try {
      return text.startsWith("P") ? Duration.parse(text) : Durations.parse(text);
    } catch (DateTimeParseException _) {
      return Durations.parse(text); // its message shows the format
    }
  }

  private static final class Writer<T> extends StdSerializer<T> {
    private final transient Function<T, String> print;

    Writer(Class<T> type, Function<T, String> print) {
      super(type);
      this.print = print;
    }

    @Override
    public void serialize(T value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeString(print.apply(value));
    }
  }

  private static final class Reader<T> extends StdDeserializer<T> {
    private final transient Function<String, T> parse;

    Reader(Class<T> type, Function<String, T> parse) {
      super(type);
      this.parse = parse;
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      if (!parser.hasToken(JsonToken.VALUE_STRING)) {
        return context.reportInputMismatch(this, "Expected text.");
      }
      try {
        return parse.apply(parser.getText());
      } catch (IllegalArgumentException | DateTimeException refused) {
        return context.reportInputMismatch(this, "%s", refused.getMessage());
      }
    }
  }
}
