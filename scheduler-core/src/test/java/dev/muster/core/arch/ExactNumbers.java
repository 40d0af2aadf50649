package dev.muster.core.arch;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// Floating-point numbers decide nothing. Two machines, or two orders of addition, must agree.
final class ExactNumbers {
  private ExactNumbers() {}

  /// Classes that may carry floating-point numbers, each with the reason why no decision rests on
  /// them.
  private static final Set<String> EXCEPTED = Set.of();

  private static final List<String> INEXACT =
      List.of("float", "double", "java.lang.Float", "java.lang.Double");

  static final ArchRule RULE =
      classes()
          .should(haveExactSignatures())
          .because(
              "rounding must not decide: use long in the smallest unit (milli-CPU, bytes, per mille)")
          .allowEmptyShould(true);

  private static ArchCondition<JavaClass> haveExactSignatures() {
    return new ArchCondition<>("have no float or double in fields, parameters and return types") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        if (EXCEPTED.contains(type.getName())) {
          return;
        }
        type.getFields().stream()
            .filter(field -> inexact(field.getRawType()))
            .forEach(field ->
                events.add(violated(field, field.getDescription() + " is floating-point")));
        type.getCodeUnits().stream()
            .filter(ExactNumbers::mentionsInexact)
            .forEach(unit ->
                events.add(
                    violated(unit, unit.getDescription() + " takes or returns floating-point")));
      }
    };
  }

  private static boolean mentionsInexact(JavaCodeUnit unit) {
    return Stream.concat(Stream.of(unit.getRawReturnType()), unit.getRawParameterTypes().stream())
        .anyMatch(ExactNumbers::inexact);
  }

  private static boolean inexact(JavaClass type) {
    return INEXACT.contains(type.getBaseComponentType().getName());
  }
}
