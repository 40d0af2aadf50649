package dev.muster.policy.journal;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Lets Jackson distinguish the cases of a sealed interface by a field `type`.
///
/// It holds the simple name of the case: `{"type":"Bound","node":"n1"}`. A case that was renamed
/// keeps its first name, so that older journals stay readable. The core has no Jackson annotations;
/// the sealed interfaces give the needed facts.
final class SealedTypeModule extends JacksonAnnotationIntrospector {

  private static final JsonTypeInfo.Value BY_TYPE =
      JsonTypeInfo.Value.construct(
          JsonTypeInfo.Id.NAME, JsonTypeInfo.As.PROPERTY, "type", null, false, true);

  private static final Map<String, String> FIRST_NAMES =
      Map.of("UnmanagedPodSeen", "StrangerSeen", "UnmanagedPodGone", "StrangerGone");

  /// Returns the names of the cases, in the order of the source; empty unless the interface is
  /// sealed.
  static List<String> cases(Class<?> type) {
    return permitted(type).map(SealedTypeModule::name).toList();
  }

  @Override
  public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(
      MapperConfig<?> config, Annotated annotated) {
    return annotated instanceof AnnotatedClass type && isCase(type.getRawType())
        ? BY_TYPE
        : super.findPolymorphicTypeInfo(config, annotated);
  }

  @Override
  public @Nullable List<NamedType> findSubtypes(Annotated annotated) {
    return annotated.getRawType().isSealed()
        ? permitted(annotated.getRawType()).map(type -> new NamedType(type, name(type))).toList()
        : super.findSubtypes(annotated);
  }

  /// Returns the name of a case in the journal.
  static String name(Class<?> type) {
    return FIRST_NAMES.getOrDefault(type.getSimpleName(), type.getSimpleName());
  }

  private static boolean isCase(Class<?> type) {
    return isSealed(type) || Stream.of(type.getInterfaces()).anyMatch(SealedTypeModule::isSealed);
  }

  private static boolean isSealed(Class<?> type) {
    return type.isInterface() && type.isSealed();
  }

  private static Stream<Class<?>> permitted(Class<?> type) {
    return isSealed(type)
        ? Stream.of(type.getPermittedSubclasses())
            .flatMap(one -> isSealed(one) ? permitted(one) : Stream.of(one))
        : Stream.empty();
  }
}
