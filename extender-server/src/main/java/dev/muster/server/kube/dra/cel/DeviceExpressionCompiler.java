package dev.muster.server.kube.dra.cel;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.muster.core.decision.MessageLimit;
import java.util.Optional;

/// Compiler for the selectors of claims and device classes: CEL with the variable `device`, as
/// Kubernetes documents it for `CELDeviceSelector`.
///
/// Kubernetes rejects expressions that do not compile or cost too much, before Muster sees them. An
/// expression that only Kubernetes understands, such as one with a newer function, is logged once
/// and selects nothing here. An evaluation stops after [#MOST_ITERATIONS] loop iterations.
public final class DeviceExpressionCompiler {
  /// Maximum loop iterations of one evaluation, all loops together.
  static final int MOST_ITERATIONS = 1_000;

  /// Maximum length of one expression in characters, as in Kubernetes.
  static final int MOST_SIGNS = 10 * 1024;

  private static final int DEEPEST = 40;

  /// Characters of the expressions that are remembered. For each, a compiled one takes about 0.1
  /// KiB.
  static final int REMEMBERED = 256 * 1024;

  /// Characters as which a short expression counts.
  private static final int SHORT = 256;

  private final Cache<String, Optional<DeviceExpression>> compiled =
      Caffeine.newBuilder()
          .maximumWeight(REMEMBERED)
          .weigher((String text, Optional<DeviceExpression> _) -> Math.max(SHORT, text.length()))
          .executor(Runnable::run) // others are dropped at once, not when a thread is free
          .build();

  /// Holder of the CEL environment, created with the first expression: its start takes about 0.5 s.
  private static final class Environment {
    private static final Cel CEL = cel();
  }

  private static Cel cel() {
    var functions = new DeviceFunctions();
    CelOptions options =
        CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .comprehensionMaxIterations(MOST_ITERATIONS)
            .maxExpressionCodePointSize(MOST_SIGNS)
            .maxParseRecursionDepth(DEEPEST)
            .build();
    return CelFactory.plannerCelBuilder()
        .setOptions(options)
        .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
        .addCompilerLibraries(
            CelExtensions.optional(),
            CelExtensions.bindings(),
            CelExtensions.strings(),
            CelExtensions.sets(options))
        .addRuntimeLibraries(
            CelExtensions.optional(), CelExtensions.strings(), CelExtensions.sets(options))
        .addFunctionDeclarations(functions.declared())
        .addFunctionBindings(functions.bound())
        .addVar("device", MapType.create(SimpleType.STRING, SimpleType.DYN))
        .setResultType(SimpleType.BOOL)
        .build();
  }

  /// Returns the compiled expression; empty, and logged, if it is not understood.
  public Optional<DeviceExpression> compile(String text) {
    return compiled.get(text, DeviceExpressionCompiler::compiled);
  }

  private static Optional<DeviceExpression> compiled(String text) {
    try {
      CelAbstractSyntaxTree tree = Environment.CEL.compile(text).getAst();
      return Optional.of(new DeviceExpression(text, Environment.CEL.createProgram(tree)));
    } catch (CelValidationException | CelEvaluationException | RuntimeException refused) {
      DeviceExpression.complaint("not supported")
          .log(
              "The selector ({}) is not supported and is left to kube-scheduler: {}.",
              MessageLimit.cut(text),
              MessageLimit.cut(
                  String.valueOf(refused.getMessage()).lines().findFirst().orElse("")));
      return Optional.empty();
    }
  }
}
