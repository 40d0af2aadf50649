package dev.muster.core.arch;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The rules that keep the core a pure function. Each rule names the alternative.
final class CoreRules {
  private CoreRules() {}

  static final ArchRule DEPENDENCIES =
      noTypes(
          resideOutsideOfPackages(
              "dev.muster.core..",
              "java.lang..",
              "java.math..",
              "java.security..", // of which most has a rule of its own
              "java.text..",
              "java.time..",
              "java.util..",
              "java.io..", // these three have rules of their own, with better words
              "java.nio..",
              "java.net..",
              "org.jgrapht..",
              "org.jspecify.annotations..",
              "com.google.errorprone.annotations.."),
          "the core depends on java.base, JGraphT and annotations only;"
              + " what needs another library belongs in policy, extender-server or simulator");

  static final ArchRule INPUT_OUTPUT =
      noTypes(
          resideInAnyPackage("java.io..", "java.nio..", "java.net.."),
          "the core reads and writes nothing (System.out included): input arrives in an Event, output leaves as a Decision");

  static final ArchRule LOGGING =
      noTypes(
          resideInAnyPackage(
                  "org.slf4j..", "java.util.logging..", "org.apache.logging..", "ch.qos.logback..")
              .or(belongToAnyOf(System.Logger.class)),
          "the core does not log: what is worth saying is part of the Decision and its Explanation");

  static final ArchRule THREADS =
      noTypes(
          resideInAnyPackage("java.util.concurrent..")
              .or(
                  belongToAnyOf(
                      Thread.class,
                      ThreadLocal.class,
                      Runtime.class,
                      Process.class,
                      java.util.Timer.class)),
          "the core is called by one thread and starts none: concurrency belongs to the extender-server");

  static final ArchRule PARALLEL_STREAMS =
      noCalls(
          named("parallel", "parallelStream", "parallelSort", "parallelPrefix", "parallelSetAll"),
          "the core is called by one thread and starts none: use the sequential method");

  static final ArchRule CLOCK =
      noCalls(
          ownedBy("java.time", "now")
              .or(ownedBy("java.time.Clock", "system", "tick"))
              .or(ownedBy("java.lang.System", "currentTimeMillis", "nanoTime")),
          "time enters the core with the Event: use the event's instant");

  static final ArchRule ENVIRONMENT =
      noCalls(
          ownedBy(
              "java.lang.System",
              "getenv",
              "getProperty",
              "getProperties",
              "identityHashCode",
              "exit"),
          "the core gives the same answer on every machine: pass what it needs as an argument");

  static final ArchRule RANDOMNESS =
      noTypes(
          belongToAnyOf(java.util.Random.class, java.util.SplittableRandom.class)
              .or(
                  resideInAnyPackage("java.util.random..", "java.security..")
                      .and(
                          not(belongToAnyOf(MessageDigest.class, NoSuchAlgorithmException.class)))),
          "a replay must decide alike: break ties by id, or take drawn values from the Event");

  static final ArchRule RANDOM_CALLS =
      noCalls(
          ownedBy("java.lang.Math", "random")
              .or(ownedBy("java.lang.StrictMath", "random"))
              .or(ownedBy("java.util.UUID", "randomUUID"))
              .or(ownedBy("java.util.Collections", "shuffle")),
          "a replay must decide alike: break ties by id, or take drawn values from the Event");

  static final ArchRule UNORDERED_TYPES =
      noTypes(
          describe(
              "unordered maps and sets",
              type ->
                  Set.of(
                          "java.util.HashMap",
                          "java.util.HashSet",
                          "java.util.IdentityHashMap",
                          "java.util.WeakHashMap",
                          "java.util.Hashtable")
                      .contains(type.getName())),
          "their order differs from run to run: use TreeMap, TreeSet, LinkedHashMap, LinkedHashSet or dev.muster.core.collect");

  static final ArchRule UNORDERED_FACTORIES =
      noCalls(
          describe("Map.of, Set.of and their kin", CoreRules::makesUnordered),
          "their order differs from run to run: use a TreeMap, LinkedHashMap or dev.muster.core.collect"
              + " (Map.of() and Set.of() without elements are fine)");

  static final ArchRule UNORDERED_COLLECTORS =
      noCalls(
          describe("collectors into unordered maps and sets", CoreRules::collectsUnordered),
          "their order differs from run to run: name the map (toMap(key, value, merge, TreeMap::new),"
              + " groupingBy(key, TreeMap::new, toList())) or the set (toCollection(TreeSet::new))");

  /// Every ban that looks at one class at a time.
  static final List<ArchRule> ALL =
      List.of(
          DEPENDENCIES,
          INPUT_OUTPUT,
          LOGGING,
          THREADS,
          PARALLEL_STREAMS,
          CLOCK,
          ENVIRONMENT,
          RANDOMNESS,
          RANDOM_CALLS,
          UNORDERED_TYPES,
          UNORDERED_FACTORIES,
          UNORDERED_COLLECTORS,
          ExactNumbers.RULE);

  private static ArchRule noTypes(DescribedPredicate<? super JavaClass> banned, String because) {
    return noClasses().should().dependOnClassesThat(banned).because(because).allowEmptyShould(true);
  }

  private static ArchRule noCalls(DescribedPredicate<AccessTarget> banned, String because) {
    return noClasses()
        .should()
        .accessTargetWhere(target(banned))
        .because(because)
        .allowEmptyShould(true);
  }

  /// Members whose name starts with one of the prefixes, on a class or in a package of that name.
  private static DescribedPredicate<AccessTarget> ownedBy(String owner, String... prefixes) {
    return describe(
        owner + " " + List.of(prefixes),
        target ->
            (target.getOwner().getName().equals(owner)
                    || target.getOwner().getPackageName().equals(owner))
                && List.of(prefixes).stream().anyMatch(target.getName()::startsWith));
  }

  private static DescribedPredicate<AccessTarget> named(String... names) {
    return describe(
        "methods named " + List.of(names), target -> List.of(names).contains(target.getName()));
  }

  private static boolean makesUnordered(AccessTarget target) {
    boolean owner =
        target.getOwner().isEquivalentTo(Map.class) || target.getOwner().isEquivalentTo(Set.class);
    return owner
        && List.of("of", "ofEntries", "copyOf").contains(target.getName())
        && parameters(target) > 0;
  }

  private static boolean collectsUnordered(AccessTarget target) {
    if (!target.getOwner().getName().equals("java.util.stream.Collectors")) {
      return false;
    }
    return switch (target.getName()) {
      case "toSet", "toUnmodifiableSet", "toUnmodifiableMap" -> true;
      case "toMap" -> parameters(target) < 4;
      case "groupingBy" -> parameters(target) < 3;
      default -> target.getName().contains("Concurrent");
    };
  }

  private static int parameters(AccessTarget target) {
    return target instanceof AccessTarget.CodeUnitAccessTarget unit
        ? unit.getRawParameterTypes().size()
        : target instanceof AccessTarget.CodeUnitReferenceTarget unit
            ? unit.getRawParameterTypes().size()
            : 0;
  }

  private static <T> DescribedPredicate<T> describe(
      String words, java.util.function.Predicate<T> test) {
    return DescribedPredicate.describe(words, test);
  }
}
