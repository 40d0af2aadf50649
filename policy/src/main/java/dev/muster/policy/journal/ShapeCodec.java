package dev.muster.policy.journal;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Toleration;
import dev.muster.core.node.Assignment;
import dev.muster.core.topology.DomainPath;
import dev.muster.core.topology.Interconnect;
import dev.muster.core.topology.LevelBandwidths;
import dev.muster.core.topology.Locality;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Serializers of values that the journal writes in another shape than their fields.
final class ShapeCodec extends SimpleModule {

  /// An assignment without the facts of the member that earlier events have recorded.
  private record Seat(MemberId member, NodeId node) {}

  /// A locality without its derived fields.
  private record Bandwidths(LevelBandwidths levels, Interconnect links) {}

  /// A node selection whose preferences are left out if there are none, as in older journals.
  private record Selection(
      List<Requirement> all,
      List<List<Requirement>> anyOf,
      List<Toleration> tolerations,
      Optional<List<PreferredTerm>> preferred) {
    static Selection of(NodeSelection nodes) {
      return new Selection(
          nodes.all(),
          nodes.anyOf(),
          nodes.tolerations(),
          Optional.of(nodes.preferred()).filter(terms -> !terms.isEmpty()));
    }

    NodeSelection nodes() {
      return new NodeSelection(all, anyOf, tolerations, preferred.orElse(List.of()));
    }
  }

  ShapeCodec() {
    super("muster-journal-shapes");
    write(Resources.class, Resources::asMap);
    read(Resources.class, new TypeReference<Map<String, Long>>() {}, Resources::of);
    write(DomainPath.class, DomainPath::values);
    read(DomainPath.class, new TypeReference<List<String>>() {}, DomainPath::new);
    write(Locality.class, known -> new Bandwidths(known.levels(), known.links()));
    read(
        Locality.class,
        new TypeReference<Bandwidths>() {},
        known -> new Locality(known.levels(), known.links()));
    write(NodeSelection.class, Selection::of);
    read(NodeSelection.class, new TypeReference<Selection>() {}, Selection::nodes);
    write(Assignment.class, assignment -> new Seat(assignment.member().id(), assignment.node()));
  }

  private <T> void write(Class<T> type, Function<T, Object> shape) {
    addSerializer(type, new Writer<>(type, shape));
  }

  private <S, T> void read(Class<T> type, TypeReference<S> shape, Function<S, T> make) {
    addDeserializer(type, new Reader<>(type, shape, make));
  }

  private static final class Writer<T> extends StdSerializer<T> {
    private final transient Function<T, Object> shape;

    Writer(Class<T> type, Function<T, Object> shape) {
      super(type);
      this.shape = shape;
    }

    @Override
    public void serialize(T value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      provider.defaultSerializeValue(shape.apply(value), out);
    }
  }

  private static final class Reader<S, T> extends StdDeserializer<T> {
    private final transient TypeReference<S> shape;
    private final transient Function<S, T> make;

    Reader(Class<T> type, TypeReference<S> shape, Function<S, T> make) {
      super(type);
      this.shape = shape;
      this.make = make;
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      S read = context.readValue(parser, context.getTypeFactory().constructType(shape));
      return make.apply(read);
    }
  }
}
