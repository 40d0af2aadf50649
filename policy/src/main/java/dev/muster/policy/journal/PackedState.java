package dev.muster.policy.journal;

import dev.muster.core.collect.SortedTable;
import dev.muster.core.state.State;
import dev.muster.core.topology.MachineFamily;
import dev.muster.core.topology.MachineModel;
import dev.muster.policy.file.LimitedInput;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/// Packs the engine's whole state into bytes and back; the unpacked state decides identically.
///
/// - **Goals:** no part of the state is named here, so none can be forgotten. Parts that share an
///   object share one again after reading, since the engine recognizes unchanged parts by identity.
/// - **Algorithm:** depth first. Each value follows the number of its class; at the first use of a
///   class, its name and fields come first. A value that was written before is its number. Reading
///   calls the constructor that takes the fields, so values pass its usual checks.
/// - **Constraints:** only the core's own records, a few other core classes and plain JDK classes
///   are known, so a file cannot create other objects. A class whose fields have changed is
///   refused.
final class PackedState {
  private static final String CORE = "dev.muster.core.";
  private static final int NULL = -1;
  private static final int KNOWN = -2;

  /// JDK types with an encoding of their own. None has an order that depends on the process.
  private static final List<Class<?>> FOREIGN =
      List.of(
          String.class,
          Integer.class,
          Long.class,
          Boolean.class,
          Instant.class,
          Duration.class,
          Optional.class,
          List.class,
          SortedMap.class,
          SortedSet.class,
          int[].class,
          long[].class,
          String[].class);

  /// The largest state that is unpacked: 512 MiB.
  private static final long MOST_BYTES = 512 << 20;

  private PackedState() {}

  static byte[] pack(State state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(new GZIPOutputStream(bytes)))) {
      new Packing(out).write(state);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // memory refuses no bytes
    }
    return bytes.toByteArray();
  }

  /// @throws IllegalArgumentException if another version of Muster packed it, or it is damaged
  static State unpack(byte[] packed) {
    return unpack(packed, MOST_BYTES);
  }

  static State unpack(byte[] packed, long most) {
    try (DataInputStream in =
        new DataInputStream(
            new BufferedInputStream(
                new LimitedInput(new GZIPInputStream(new ByteArrayInputStream(packed)), most)))) {
      if (new Unpacking(in).read() instanceof State state) {
        return state;
      }
      throw new IOException("it is not a state");
    } catch (IOException | ReflectiveOperationException | RuntimeException bad) {
      throw new IllegalArgumentException(
          "The state of the image cannot be read (%s). Another version of Muster may have written it."
              .formatted(bad),
          bad);
    }
  }

  private static final class Packing {
    private final DataOutputStream out;
    private final IdentityHashMap<Object, Integer> known = new IdentityHashMap<>();
    private final Map<Class<?>, Integer> numbers = new HashMap<>();
    private final List<PackedClass> classes = new ArrayList<>();

    Packing(DataOutputStream out) {
      this.out = out;
    }

    void write(@Nullable Object value) throws IOException {
      if (value == null) {
        out.writeInt(NULL);
        return;
      }
      Integer before = known.get(value);
      if (before != null) {
        out.writeInt(KNOWN);
        out.writeInt(before);
        return;
      }
      content(value, classOf(value));
      known.put(value, known.size());
    }

    private PackedClass classOf(Object value) throws IOException {
      Class<?> type = type(value);
      Integer number = numbers.get(type);
      if (number != null) {
        out.writeInt(number);
        return classes.get(number);
      }
      PackedClass packed = PackedClass.of(type);
      out.writeInt(classes.size());
      out.writeUTF(type.getName());
      out.writeUTF(packed.shape());
      numbers.put(type, classes.size());
      classes.add(packed);
      return packed;
    }

    private static Class<?> type(Object value) {
      if (value instanceof Enum<?> constant) {
        return constant.getDeclaringClass();
      }
      if (PackedClass.isOurs(value.getClass())) {
        return value.getClass();
      }
      return FOREIGN.stream()
          .filter(type -> type.isInstance(value))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("cannot pack " + value.getClass()));
    }

    private void content(Object value, PackedClass packed) throws IOException {
      switch (value) {
        case String text -> text(text);
        case Integer number -> out.writeInt(number);
        case Long number -> out.writeLong(number);
        case Boolean truth -> out.writeBoolean(truth);
        case Instant at -> {
          out.writeLong(at.getEpochSecond());
          out.writeInt(at.getNano());
        }
        case Duration time -> {
          out.writeLong(time.getSeconds());
          out.writeInt(time.getNano());
        }
        case Enum<?> constant -> text(constant.name());
        case MachineModel machine -> text(machine.name());
        case Optional<?> some -> write(some.orElse(null));
        case Collection<?> values -> all(values);
        case SortedMap<?, ?> map -> {
          all(map.keySet());
          all(map.values());
        }
        case int[] numbers -> all(Arrays.stream(numbers).boxed().toList());
        case long[] numbers -> all(Arrays.stream(numbers).boxed().toList());
        case String[] texts -> all(List.of(texts));
        default -> fields(value, packed);
      }
    }

    private void fields(Object value, PackedClass packed) throws IOException {
      for (Field field : packed.fields()) {
        try {
          write(field.get(value));
        } catch (IllegalAccessException impossible) {
          throw new IllegalStateException(impossible); // it was made accessible
        }
      }
    }

    private void all(Collection<?> values) throws IOException {
      out.writeInt(values.size());
      for (Object value : values) {
        write(value);
      }
    }

    private void text(String text) throws IOException {
      out.writeInt(text.length());
      out.writeChars(text);
    }
  }

  private static final class Unpacking {
    private final DataInputStream in;
    private final List<Object> known = new ArrayList<>();
    private final List<PackedClass> classes = new ArrayList<>();

    Unpacking(DataInputStream in) {
      this.in = in;
    }

    @Nullable Object read() throws IOException, ReflectiveOperationException {
      int number = in.readInt();
      if (number == NULL) {
        return null;
      }
      if (number == KNOWN) {
        return known.get(in.readInt());
      }
      Object value = content(classOf(number));
      known.add(value);
      return value;
    }

    private PackedClass classOf(int number) throws IOException, ReflectiveOperationException {
      if (number < classes.size()) {
        return classes.get(number);
      }
      String name = in.readUTF();
      PackedClass packed = PackedClass.of(type(name));
      String shape = in.readUTF();
      if (!shape.equals(packed.shape())) {
        throw new IOException("%s has other fields: %s".formatted(name, shape));
      }
      classes.add(packed);
      return packed;
    }

    private static Class<?> type(String name) throws IOException, ReflectiveOperationException {
      for (Class<?> foreign : FOREIGN) {
        if (foreign.getName().equals(name)) {
          return foreign;
        }
      }
      if (name.startsWith(CORE)) {
        Class<?> type = Class.forName(name, false, State.class.getClassLoader());
        if (PackedClass.isOurs(type) || type.isEnum()) {
          return type;
        }
      }
      throw new IOException("unknown class " + name);
    }

    @SuppressWarnings("unchecked") // the class is an enum
    private Object content(PackedClass packed) throws IOException, ReflectiveOperationException {
      Class<?> type = packed.type();
      if (type.isEnum()) {
        return Enum.valueOf(type.asSubclass(Enum.class), text());
      }
      return PackedClass.isOurs(type) ? ours(packed) : foreign(type);
    }

    private Object ours(PackedClass packed) throws IOException, ReflectiveOperationException {
      if (packed.type() == MachineModel.class) {
        return machine(text());
      }
      @Nullable Object[] values = new Object[packed.fields().size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = read();
      }
      return packed.type() == SortedTable.class && values[0] == null
          ? SortedTable.empty()
          : packed.make(values);
    }

    /// Returns the shared instance of a machine model, because models are compared by identity.
    private static MachineModel machine(String name) throws IOException {
      return Arrays.stream(MachineFamily.values())
          .flatMap(MachineFamily::all)
          .filter(machine -> machine.name().equals(name))
          .findFirst()
          .orElseThrow(() -> new IOException("unknown machine " + name));
    }

    private Object foreign(Class<?> type) throws IOException, ReflectiveOperationException {
      return switch (type.getSimpleName()) {
        case "String" -> text();
        case "Integer" -> in.readInt();
        case "Long" -> in.readLong();
        case "Boolean" -> in.readBoolean();
        case "Instant" -> Instant.ofEpochSecond(in.readLong(), in.readInt());
        case "Duration" -> Duration.ofSeconds(in.readLong(), in.readInt());
        case "Optional" -> Optional.ofNullable(read());
        case "List" -> List.copyOf(all());
        case "SortedSet" -> Collections.unmodifiableSortedSet(new TreeSet<>(all()));
        case "SortedMap" -> Collections.unmodifiableSortedMap(new TreeMap<>(pairs()));
        case "int[]" -> all().stream().mapToInt(Integer.class::cast).toArray();
        case "long[]" -> all().stream().mapToLong(Long.class::cast).toArray();
        default -> all().toArray(String[]::new);
      };
    }

    private List<Object> all() throws IOException, ReflectiveOperationException {
      List<Object> all = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        Object value = read();
        if (value == null) {
          throw new IOException("a list has a null item");
        }
        all.add(value);
      }
      return all;
    }

    private Map<Object, Object> pairs() throws IOException, ReflectiveOperationException {
      List<Object> keys = all();
      List<Object> values = all();
      Map<Object, Object> pairs = new HashMap<>();
      for (int i = 0; i < keys.size(); i++) {
        pairs.put(keys.get(i), values.get(i));
      }
      return pairs;
    }

    private String text() throws IOException {
      StringBuilder text = new StringBuilder();
      for (int left = in.readInt(); left > 0; left--) {
        text.append(in.readChar());
      }
      return text.toString();
    }
  }
}
