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
import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Serializers of sorted tables, in the order of the keys.
///
/// A table with text keys is an object; any other is a list of `{"key":..., "value":...}`. Only
/// lists are read. A set of keys is a table whose values are its keys, as in journals of earlier
/// versions.
final class TableCodec extends SimpleModule {

  TableCodec() {
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
      if (type.hasRawClass(SortedKeys.class)) {
        return new KeysWriter(type);
      }
      return type.hasRawClass(SortedTable.class) ? new Writer(type) : null;
    }
  }

  private static final class Readers extends Deserializers.Base {
    @Override
    public @Nullable JsonDeserializer<?> findBeanDeserializer(
        JavaType type, DeserializationConfig config, BeanDescription description) {
      if (type.hasRawClass(SortedKeys.class)) {
        return new KeysReader(type);
      }
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
      out.writeStartObject();
      for (SortedTable.Entry<?, ?> entry : table.entries()) {
        provider.defaultSerializeField((String) entry.key(), entry.value(), out);
      }
      out.writeEndObject();
    }

    private static void writePairs(
        SortedTable<?, ?> table, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeStartArray();
      for (SortedTable.Entry<?, ?> entry : table.entries()) {
        provider.defaultSerializeValue(entry, out);
      }
      out.writeEndArray();
    }
  }

  private static final class KeysWriter extends StdSerializer<SortedKeys<?>> {
    KeysWriter(JavaType type) {
      super(type);
    }

    @Override
    public void serialize(SortedKeys<?> keys, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeStartArray();
      for (Object key : keys) {
        provider.defaultSerializeValue(new SortedTable.Entry<>(key, key), out);
      }
      out.writeEndArray();
    }
  }

  private static final class Reader extends StdDeserializer<SortedTable<?, ?>> {
    private final JavaType key;
    private final JavaType value;

    Reader(JavaType type) {
      super(type);
      this.key = type.containedTypeOrUnknown(0);
      this.value = type.containedTypeOrUnknown(1);
    }

    @Override
    public SortedTable<?, ?> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return collect(entries(key, value, parser, context));
    }

    private static <K extends Comparable<K>, V> SortedTable<K, V> collect(
        List<SortedTable.Entry<K, V>> entries) {
      SortedTable<K, V> table = SortedTable.empty();
      for (SortedTable.Entry<K, V> entry : entries) {
        table = table.with(entry.key(), entry.value());
      }
      return table;
    }
  }

  private static final class KeysReader extends StdDeserializer<SortedKeys<?>> {
    private final JavaType key;

    KeysReader(JavaType type) {
      super(type);
      this.key = type.containedTypeOrUnknown(0);
    }

    @Override
    public SortedKeys<?> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return collect(entries(key, key, parser, context));
    }

    private static <K extends Comparable<K>> SortedKeys<K> collect(
        List<SortedTable.Entry<K, K>> entries) {
      SortedKeys<K> keys = SortedKeys.empty();
      for (SortedTable.Entry<K, K> entry : entries) {
        keys = keys.with(entry.key());
      }
      return keys;
    }
  }

  /// @param <E> the entry, which the types of its key and value make up
  private static <E> List<E> entries(
      JavaType key, JavaType value, JsonParser parser, DeserializationContext context)
      throws IOException {
    var types = context.getTypeFactory();
    JavaType entry = types.constructParametricType(SortedTable.Entry.class, key, value);
    return context.readValue(parser, types.constructCollectionType(List.class, entry));
  }
}
