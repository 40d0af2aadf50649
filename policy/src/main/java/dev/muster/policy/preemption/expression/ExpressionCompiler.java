package dev.muster.policy.preemption.expression;

import dev.cel.bundle.Cel;
import dev.cel.bundle.CelBuilder;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructTypeReference;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelNativeTypesExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.validator.CelValidator;
import dev.cel.validator.CelValidatorFactory;
import dev.cel.validator.validators.DurationLiteralValidator;
import dev.cel.validator.validators.RegexLiteralValidator;
import dev.cel.validator.validators.TimestampLiteralValidator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The language of conditions and costs: CEL with the variables `preemptor`, `victim` and `now`.
///
/// Types, fields, literals, size and depth are checked when a file is read. Later faults are
/// bounded: an expression ends after [#MOST_ITERATIONS] iterations of its loops.
public final class ExpressionCompiler {
  /// Limit of the iterations of all loops of one evaluation together.
  static final int MOST_ITERATIONS = 1_000;

  /// Limit of the characters of one expression, also in the schema.
  public static final int MOST_SIGNS = 4_096;

  private static final int DEEPEST = 40;

  private final Cel cel;
  private final CelValidator literals;

  private ExpressionCompiler(ExpressionType type) {
    cel = environment(type);
    literals =
        CelValidatorFactory.standardCelValidatorBuilder(cel)
            .addAstValidators(
                DurationLiteralValidator.INSTANCE,
                TimestampLiteralValidator.INSTANCE,
                RegexLiteralValidator.INSTANCE)
            .build();
  }

  /// Holder for lazy creation: the first use of CEL costs about half a second.
  private static final class Environments {
    private static final Map<ExpressionType, ExpressionCompiler> BY_TYPE =
        new EnumMap<>(
            Map.of(
                ExpressionType.CONDITION, new ExpressionCompiler(ExpressionType.CONDITION),
                ExpressionType.AMOUNT, new ExpressionCompiler(ExpressionType.AMOUNT),
                ExpressionType.DELAY, new ExpressionCompiler(ExpressionType.DELAY)));
  }

  private static ExpressionCompiler of(ExpressionType type) {
    return Objects.requireNonNull(Environments.BY_TYPE.get(type));
  }

  private static Cel environment(ExpressionType type) {
    CelNativeTypesExtensions gangs = CelExtensions.nativeTypes(ExpressionGang.class);
    StructTypeReference gang = StructTypeReference.create(ExpressionGang.class.getCanonicalName());
    CelBuilder builder =
        CelFactory.plannerCelBuilder()
            .setOptions(
                CelOptions.current()
                    .enableHeterogeneousNumericComparisons(true)
                    .comprehensionMaxIterations(MOST_ITERATIONS)
                    .maxExpressionCodePointSize(MOST_SIGNS)
                    .maxParseRecursionDepth(DEEPEST)
                    .build())
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addCompilerLibraries(gangs, CelExtensions.optional(), CelExtensions.math())
            .addRuntimeLibraries(gangs, CelExtensions.optional(), CelExtensions.math())
            .addVar("preemptor", gang)
            .setResultType(type.result());
    if (type.ofPairs()) {
      builder.addVar("victim", gang).addVar("now", SimpleType.TIMESTAMP);
    }
    return builder.build();
  }

  /// Returns the faults of the text as an expression of this type; empty if it compiles.
  public static List<ExpressionIssue> check(String text, ExpressionType type) {
    ExpressionCompiler expressions = of(type);
    CelValidationResult compiled = expressions.cel.compile(text);
    if (compiled.hasError()) {
      return issues(text, type, compiled.getErrors());
    }
    try {
      CelValidationResult valid = expressions.literals.validate(compiled.getAst());
      return valid.hasError() ? issues(text, type, valid.getErrors()) : List.of();
    } catch (CelValidationException refused) {
      return issues(text, type, refused.getErrors());
    }
  }

  private static List<ExpressionIssue> issues(
      String text, ExpressionType type, List<CelIssue> errors) {
    return errors.stream().limit(3).map(error -> ExpressionIssue.of(text, type, error)).toList();
  }

  /// Compiles a text in which [#check] finds no fault.
  ///
  /// @throws IllegalArgumentException if it does not compile
  public static Expression compile(String text, ExpressionType type) {
    List<ExpressionIssue> issues = check(text, type);
    if (!issues.isEmpty()) {
      throw new IllegalArgumentException(
          "The expression %s does not compile: %s".formatted(text, issues.getFirst().message()));
    }
    try {
      Cel cel = of(type).cel;
      CelAbstractSyntaxTree tree = cel.compile(text).getAst();
      return new Expression(text, cel.createProgram(tree));
    } catch (CelValidationException | CelEvaluationException refused) {
      throw new IllegalArgumentException(
          "The expression %s does not compile: %s".formatted(text, refused.getMessage()), refused);
    }
  }
}
