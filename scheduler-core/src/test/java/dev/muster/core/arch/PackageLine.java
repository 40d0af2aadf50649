package dev.muster.core.arch;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import java.util.List;

/// The packages of the core in one line. Each uses only packages of an earlier place. Packages of
/// one place do not use each other.
///
/// @param root the package that holds the line, such as `dev.muster.core`
/// @param places the names below `root`, from the ground up
public record PackageLine(String root, List<List<String>> places) {
  /// The line of the core. A place may be empty until its package exists.
  public static final List<List<String>> CORE =
      List.of(
          List.of("collect"),
          List.of("gang", "topology"),
          List.of("node", "budget"),
          List.of("cluster"),
          List.of("fit"),
          List.of("placement.request"),
          List.of("placement.greedy", "placement.diagnosis"),
          List.of("placement.exact"),
          List.of("placement"),
          List.of("victims"),
          List.of("admission"),
          List.of("backfill"),
          List.of("decision"),
          List.of("state"),
          List.of("cycle"),
          List.of("upkeep"),
          List.of("preempt"),
          List.of("engine"),
          List.of("drive"));

  /// Fails for a class that uses a later place or another package of its own place. It also fails
  /// for a class without a place.
  public ArchRule rule() {
    return classes()
        .that()
        .resideInAPackage(root + "..")
        .should(useOnlyEarlierPlaces())
        .because(
            "a package that only looks to its left can be understood, tested and moved without the rest")
        .allowEmptyShould(true);
  }

  private ArchCondition<JavaClass> useOnlyEarlierPlaces() {
    return new ArchCondition<>("use only packages earlier in the line " + places) {
      @Override
      public void check(JavaClass user, ConditionEvents events) {
        if (!user.getSimpleName().equals("package-info") && placeOf(user) < 0) {
          events.add(
              violated(
                  user,
                  user.getName()
                      + " has no place in the line. Maybe add its package to the line."));
        }
        user.getDirectDependenciesFromSelf().stream()
            .filter(PackageLine.this::looksRight)
            .forEach(wrong -> events.add(violated(wrong, wrong.getDescription())));
      }
    };
  }

  private boolean looksRight(Dependency use) {
    JavaClass from = use.getOriginClass();
    JavaClass to = use.getTargetClass().getBaseComponentType();
    boolean within = to.getPackageName().startsWith(root + ".");
    return within && !nameOf(from).equals(nameOf(to)) && placeOf(to) >= placeOf(from);
  }

  /// Index of the place, from the ground up, or -1 for a package that is not in the line.
  private int placeOf(JavaClass type) {
    for (int i = 0; i < places.size(); i++) {
      if (places.get(i).contains(nameOf(type))) {
        return i;
      }
    }
    return -1;
  }

  /// The longest name of the line that is the package's own or one around it, else its own.
  private String nameOf(JavaClass type) {
    String whole = type.getPackageName();
    String name = whole.equals(root) ? "" : whole.substring(root.length() + 1);
    for (String around = name; !around.isEmpty(); around = outer(around)) {
      if (isPlaced(around)) {
        return around;
      }
    }
    return name;
  }

  private boolean isPlaced(String name) {
    return places.stream().anyMatch(place -> place.contains(name));
  }

  private static String outer(String name) {
    return name.substring(0, Math.max(0, name.lastIndexOf('.')));
  }
}
