package dev.muster.server.kube.dra.cel;

import static dev.cel.common.CelFunctionDecl.newFunctionDeclaration;
import static dev.cel.common.CelOverloadDecl.newGlobalOverload;
import static dev.cel.common.CelOverloadDecl.newMemberOverload;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The CEL functions on quantities and versions that Kubernetes adds.
final class DeviceFunctions {
  private static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");
  private static final CelType SEMVER = OpaqueType.create("kubernetes.Semver");

  private record Variant(CelOverloadDecl declared, CelFunctionBinding bound) {}

  private final Map<String, List<Variant>> functions = new LinkedHashMap<>();

  DeviceFunctions() {
    of("quantity", QUANTITY, String.class, QuantityValue::of);
    of("isQuantity", SimpleType.BOOL, String.class, QuantityValue::isOne);
    of("semver", SEMVER, String.class, SemanticVersion::of);
    of("isSemver", SimpleType.BOOL, String.class, SemanticVersion::isOne);
    compared(QUANTITY, QuantityValue.class);
    compared(SEMVER, SemanticVersion.class);
    on("major", SEMVER, SemanticVersion.class, SimpleType.INT, SemanticVersion::major);
    on("minor", SEMVER, SemanticVersion.class, SimpleType.INT, SemanticVersion::minor);
    on("patch", SEMVER, SemanticVersion.class, SimpleType.INT, SemanticVersion::patch);
    on(
        "sign",
        QUANTITY,
        QuantityValue.class,
        SimpleType.INT,
        amount -> (long) amount.value().signum());
    on("isInteger", QUANTITY, QuantityValue.class, SimpleType.BOOL, QuantityValue::isInteger);
    on(
        "asInteger",
        QUANTITY,
        QuantityValue.class,
        SimpleType.INT,
        amount -> amount.value().longValueExact());
    on(
        "asApproximateFloat",
        QUANTITY,
        QuantityValue.class,
        SimpleType.DOUBLE,
        amount -> amount.value().doubleValue());
    sums("add", QuantityValue::plus);
    sums("sub", QuantityValue::minus);
  }

  private <T extends Comparable<T>> void compared(CelType type, Class<T> of) {
    with(
        "compareTo",
        type,
        of,
        SimpleType.INT,
        (one, other) -> (long) Integer.signum(one.compareTo(other)));
    with("isLessThan", type, of, SimpleType.BOOL, (one, other) -> one.compareTo(other) < 0);
    with("isGreaterThan", type, of, SimpleType.BOOL, (one, other) -> one.compareTo(other) > 0);
  }

  private void sums(String name, CelFunctionOverload.Binary<QuantityValue, QuantityValue> sum) {
    with(name, QUANTITY, QuantityValue.class, QUANTITY, sum);
    String id = name + "_int";
    put(
        name,
        newMemberOverload(id, QUANTITY, QUANTITY, SimpleType.INT),
        CelFunctionBinding.from(
            id,
            QuantityValue.class,
            Long.class,
            (one, more) -> sum.apply(one, QuantityValue.of(more))));
  }

  private <T> void of(
      String name, CelType result, Class<T> of, CelFunctionOverload.Unary<T> function) {
    put(
        name,
        newGlobalOverload(name + "_string", result, SimpleType.STRING),
        CelFunctionBinding.from(name + "_string", of, function));
  }

  private <T> void on(
      String name,
      CelType type,
      Class<T> of,
      CelType result,
      CelFunctionOverload.Unary<T> function) {
    String id = type.name() + "_" + name;
    put(name, newMemberOverload(id, result, type), CelFunctionBinding.from(id, of, function));
  }

  private <T> void with(
      String name,
      CelType type,
      Class<T> of,
      CelType result,
      CelFunctionOverload.Binary<T, T> function) {
    String id = type.name() + "_" + name;
    put(
        name,
        newMemberOverload(id, result, type, type),
        CelFunctionBinding.from(id, of, of, function));
  }

  private void put(String name, CelOverloadDecl declared, CelFunctionBinding bound) {
    functions.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Variant(declared, bound));
  }

  List<CelFunctionDecl> declared() {
    return functions.entrySet().stream()
        .map(function ->
            newFunctionDeclaration(
                function.getKey(), function.getValue().stream().map(Variant::declared).toList()))
        .toList();
  }

  List<CelFunctionBinding> bound() {
    return functions.entrySet().stream()
        .flatMap(function ->
            CelFunctionBinding.fromOverloads(
                function.getKey(), function.getValue().stream().map(Variant::bound).toList())
                .stream())
        .toList();
  }
}
