package dev.muster.policy.journal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.Deserializers;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.Serializers;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import dev.muster.core.collect.SortedTable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorted tables: an object where the keys are texts, else a list of {@code {"key":...,
 * "value":...}}, in the order of the keys. Only the latter are read.
 */
final class TableForms extends SimpleModule {

  private record Pair<K, V>(K key, V value) {}

  TableForms() {
    super("muster-journal-tables");
  }

  @Override
  public void setupModule(SetupContext context) {
    super.setupModule(context);
    context.addSerializers(new Writers());
    context.addDeserializers(new Readers());
  }

  private static boolean isByText(JavaType type) {
    return type.containedTypeOrUnknown(0).hasRawClass(String.class);
  }

  private static final class Writers extends Serializers.Base {
    @Override
    public @Nullable JsonSerializer<?> findSerializer(
        SerializationConfig config, JavaType type, BeanDescription description) {
      return type.hasRawClass(SortedTable.class) ? new Writer(type) : null;
    }
  }

  private static final class Readers extends Deserializers.Base {
    @Override
    public @Nullable JsonDeserializer<?> findBeanDeserializer(
        JavaType type, DeserializationConfig config, BeanDescription description) {
      return type.hasRawClass(SortedTable.class) && !isByText(type) ? new Reader(type) : null;
    }
  }

  private static final class Writer extends StdSerializer<SortedTable<?, ?>> {
    private final boolean byText;

    Writer(JavaType type) {
      super(type);
      this.byText = isByText(type);
    }

    @Override
    public void serialize(SortedTable<?, ?> table, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      if (byText) {
        writeObject(table, out, provider);
      } else {
        writePairs(table, out, provider);
      }
    }

    private static void writeObject(
        SortedTable<?, ?> table, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      List<?> keys = table.keys();
      List<?> values = table.values();
      out.writeStartObject();
      for (int i = 0; i < keys.size(); i++) {
        provider.defaultSerializeField((String) keys.get(i), values.get(i), out);
      }
      out.writeEndObject();
    }

    private static void writePairs(
        SortedTable<?, ?> table, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      List<?> keys = table.keys();
      List<?> values = table.values();
      out.writeStartArray();
      for (int i = 0; i < keys.size(); i++) {
        provider.defaultSerializeValue(new Pair<>(keys.get(i), values.get(i)), out);
      }
      out.writeEndArray();
    }
  }

  private static final class Reader extends StdDeserializer<SortedTable<?, ?>> {
    private final JavaType table;

    Reader(JavaType type) {
      super(type);
      this.table = type;
    }

    @Override
    public SortedTable<?, ?> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      var types = context.getTypeFactory();
      JavaType pair =
          types.constructParametricType(
              Pair.class, table.containedTypeOrUnknown(0), table.containedTypeOrUnknown(1));
      return collect(context.readValue(parser, types.constructCollectionType(List.class, pair)));
    }

    private static <K extends Comparable<K>, V> SortedTable<K, V> collect(List<Pair<K, V>> pairs) {
      SortedTable<K, V> table = SortedTable.empty();
      for (Pair<K, V> pair : pairs) {
        table = table.with(pair.key(), pair.value());
      }
      return table;
    }
  }
}
