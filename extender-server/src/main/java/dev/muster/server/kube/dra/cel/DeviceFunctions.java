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
    of("quantity", QUANTITY, String.class, Amount::of);
    of("isQuantity", SimpleType.BOOL, String.class, Amount::isOne);
    of("semver", SEMVER, String.class, Version::of);
    of("isSemver", SimpleType.BOOL, String.class, Version::isOne);
    compared(QUANTITY, Amount.class);
    compared(SEMVER, Version.class);
    on("major", SEMVER, Version.class, SimpleType.INT, Version::major);
    on("minor", SEMVER, Version.class, SimpleType.INT, Version::minor);
    on("patch", SEMVER, Version.class, SimpleType.INT, Version::patch);
    on("sign", QUANTITY, Amount.class, SimpleType.INT, amount -> (long) amount.value().signum());
    on("isInteger", QUANTITY, Amount.class, SimpleType.BOOL, Amount::isInteger);
    on(
        "asInteger",
        QUANTITY,
        Amount.class,
        SimpleType.INT,
        amount -> amount.value().longValueExact());
    on(
        "asApproximateFloat",
        QUANTITY,
        Amount.class,
        SimpleType.DOUBLE,
        amount -> amount.value().doubleValue());
    sums("add", Amount::plus);
    sums("sub", Amount::minus);
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

  private void sums(String name, CelFunctionOverload.Binary<Amount, Amount> sum) {
    with(name, QUANTITY, Amount.class, QUANTITY, sum);
    String id = name + "_int";
    put(
        name,
        newMemberOverload(id, QUANTITY, QUANTITY, SimpleType.INT),
        CelFunctionBinding.from(
            id, Amount.class, Long.class, (one, more) -> sum.apply(one, Amount.of(more))));
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
