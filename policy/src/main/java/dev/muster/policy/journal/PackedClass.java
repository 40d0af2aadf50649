package dev.muster.policy.journal;

import dev.muster.core.collect.SortedKeys;
import dev.muster.core.collect.SortedTable;
import dev.muster.core.gang.Resources;
import dev.muster.core.node.DomainCapacity;
import dev.muster.core.node.MaxFreeCapacity;
import dev.muster.core.node.NodeKind;
import dev.muster.core.topology.Locality;
import dev.muster.core.topology.MachineModel;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A class of values in a [PackedState], and the fields that its constructor takes, in order.
record PackedClass(Class<?> type, List<Field> fields) {
  /// Classes of the core that hold data and are not records.
  private static final Set<String> PLAIN =
      Set.of(
          SortedKeys.class.getName(),
          SortedTable.class.getName(),
          SortedTable.class.getPackageName() + ".AvlNode", // not public
          Resources.class.getName(),
          NodeKind.class.getName(),
          MaxFreeCapacity.class.getName(),
          DomainCapacity.Histogram.class.getName(),
          Locality.class.getName(),
          MachineModel.class.getName());

  static PackedClass of(Class<?> type) {
    return new PackedClass(type, isOurs(type) ? fields(type) : List.of());
  }

  static boolean isOurs(Class<?> type) {
    return type.isRecord() || PLAIN.contains(type.getName());
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> own =
        Arrays.stream(type.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()))
            .toList();
    List<Field> taken = own.subList(0, constructor(type, own).getParameterCount());
    taken.forEach(field -> field.setAccessible(true));
    return taken;
  }

  /// Returns the constructor that takes the longest prefix of the fields; it derives the others.
  private static Constructor<?> constructor(Class<?> type, List<Field> own) {
    for (int count = own.size(); count > 0; count--) {
      List<?> types = own.subList(0, count).stream().map(Field::getType).toList();
      for (Constructor<?> each : type.getDeclaredConstructors()) {
        if (List.of(each.getParameterTypes()).equals(types)) {
          return each;
        }
      }
    }
    return type.getDeclaredConstructors()[0];
  }

  Object make(@Nullable Object[] values) throws ReflectiveOperationException {
    Constructor<?> constructor = constructor(type, fields);
    constructor.setAccessible(true);
    return constructor.newInstance(values);
  }

  String shape() {
    return String.join(",", fields.stream().map(Field::getName).toList());
  }
}
