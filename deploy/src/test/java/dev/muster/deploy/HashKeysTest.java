package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import com.tngtech.archunit.core.domain.JavaWildcardType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Records that are keys of hash tables have an order, and no table has keys of any type.
///
/// Tenants can choose thousands of names that have the same hash code. A `HashMap` finds such a key
/// in logarithmic time if the keys are [Comparable], and else compares it with all others.
final class HashKeysTest {
  /// Keys that tenants cannot choose, or of which there are few.
  private static final Set<String> OTHERS =
      Set.of(
          "dev.muster.core.budget.BudgetOwner", // what admins write
          "dev.muster.server.http.access.GangScope", // its namespaces are made by admins
          "dev.muster.server.http.page.GangShape$Each", // kinds of members of one gang
          "dev.muster.server.kube.dra.DeviceSelection", // each took the whole time of a claim
          "dev.muster.server.kube.dra.GpuSlice$DeviceId", // what drivers write
          "dev.muster.server.kube.dra.GpuSlice$Pool");

  @Test
  void records_that_are_keys_of_hash_tables_are_comparable() {
    List<String> unordered =
        ModuleDirectionTest.ALL.stream()
            .filter(type -> type.getPackageName().startsWith("dev.muster.server"))
            .flatMap(type -> type.getFields().stream())
            .flatMap(field -> keys(field.getType()))
            .filter(HashKeysTest::mayHaveNoOrder)
            .map(JavaClass::getName)
            .distinct()
            .filter(name -> !OTHERS.contains(name))
            .toList();

    assertThat(unordered).isEmpty();
  }

  private static boolean mayHaveNoOrder(JavaClass key) {
    return key.isEquivalentTo(Object.class)
        || (key.isRecord() && !key.isAssignableTo(Comparable.class));
  }

  /// Returns the keys of the type, if it may be a hash table, and of the types in it.
  private static Stream<JavaClass> keys(JavaType type) {
    if (!(type instanceof JavaParameterizedType table)) {
      return Stream.empty();
    }
    JavaClass raw = type.toErasure();
    boolean hashes =
        (raw.isAssignableTo(Map.class) || raw.isAssignableTo(Set.class))
            && !raw.isAssignableTo(SortedMap.class)
            && !raw.isAssignableTo(SortedSet.class);
    List<JavaType> parts = table.getActualTypeArguments();
    return Stream.concat(
        hashes && isNamed(parts.getFirst())
            ? Stream.of(parts.getFirst().toErasure())
            : Stream.empty(),
        parts.stream().flatMap(HashKeysTest::keys));
  }

  private static boolean isNamed(JavaType key) {
    return !(key instanceof JavaTypeVariable<?>) && !(key instanceof JavaWildcardType);
  }
}
