package dev.muster.core.arch;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A record that compares by words of its own, since it is asked so often, forgets none of its
 * parts: two that differ in what was forgotten would be taken for one.
 */
final class WholeEquality {
  private WholeEquality() {}

  static final ArchRule RULE =
      classes()
          .that()
          .areRecords()
          .should(compareAllParts())
          .because("whoever adds a component adds it to equals, too, or deletes equals")
          .allowEmptyShould(true);

  private static ArchCondition<JavaClass> compareAllParts() {
    return new ArchCondition<>("compare all components in an equals of their own") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        type.tryGetMethod("equals", Object.class)
            .map(WholeEquality::fieldsOf)
            .filter(compared -> !compared.isEmpty()) // a record's own equals names none
            .ifPresent(compared -> forgotten(type, compared, events));
      }
    };
  }

  private static Set<String> fieldsOf(JavaMethod equals) {
    return equals.getFieldAccesses().stream()
        .map(JavaAccess::getTarget)
        .filter(target -> target.getOwner().equals(equals.getOwner()))
        .map(AccessTarget::getName)
        .collect(Collectors.toSet());
  }

  private static void forgotten(JavaClass type, Set<String> compared, ConditionEvents events) {
    for (JavaField field : type.getFields()) {
      if (!field.getModifiers().contains(JavaModifier.STATIC)
          && !compared.contains(field.getName())) {
        events.add(violated(field, field.getDescription() + " is not compared by equals"));
      }
    }
  }
}
