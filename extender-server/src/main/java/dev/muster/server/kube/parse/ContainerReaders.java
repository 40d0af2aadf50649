package dev.muster.server.kube.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/// Reads any number of containers of a pod into a bounded number of objects.
///
/// No container may be left out: a pod on a node holds what all of them request. So those beyond
/// [#CONTAINERS] become one or two containers without names that request as much.
public final class ContainerReaders {
  /// Containers of a list that are kept as they are. One more is beyond the budget of a pod.
  private static final int CONTAINERS = 500;

  /// Amounts in all containers of a list that are kept as they are.
  private static final int AMOUNTS = 4_000;

  /// Amounts of one container that are read: so many, and as many more that are not zero. No node
  /// has as many resources. Anybody may request none of thousands of them.
  private static final int RESOURCES = 100;

  /// Bounds of an amount, so that no sum is a number of any length.
  private static final BigDecimal MOST = BigDecimal.TEN.pow(18);

  private static final BigDecimal LEAST = BigDecimal.ONE.movePointLeft(9);

  private ContainerReaders() {}

  /// Reads containers that run together.
  public static final class Together extends JsonDeserializer<List<Container>> {
    @Override
    public List<Container> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return ContainerReaders.read(parser, context, BigDecimal::add);
    }
  }

  /// Reads init containers, of which each runs alone or with those that are always restarted.
  public static final class Initial extends JsonDeserializer<List<Container>> {
    @Override
    public List<Container> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return ContainerReaders.read(parser, context, BigDecimal::max);
    }
  }

  private static List<Container> read(
      JsonParser parser, DeserializationContext context, BinaryOperator<BigDecimal> plain)
      throws IOException {
    List<Container> kept = new ArrayList<>();
    if (!parser.isExpectedStartArrayToken()) {
      context.reportInputMismatch(Container.class, "The containers are no list.");
    }
    Map<String, BigDecimal> sidecars = new TreeMap<>();
    Map<String, BigDecimal> others = new TreeMap<>();
    int amounts = 0;
    boolean surplus = false;
    for (JsonToken next = parser.nextToken();
        next != null && next != JsonToken.END_ARRAY;
        next = parser.nextToken()) {
      if (next == JsonToken.VALUE_NULL) {
        continue;
      }
      Container container = context.readValue(parser, Container.class);
      amounts += amounts(container.getResources());
      if (kept.size() < CONTAINERS && amounts <= AMOUNTS) {
        kept.add(container);
        continue;
      }
      surplus = true;
      if (isSidecar(container)) {
        add(sidecars, container, BigDecimal::add);
      } else {
        add(others, container, plain);
      }
    }
    if (!sidecars.isEmpty()) {
      kept.add(unnamed(sidecars, "Always"));
    }
    if (surplus) {
      kept.add(unnamed(others, null));
    }
    return kept;
  }

  private static int amounts(@Nullable ResourceRequirements asked) {
    return asked == null ? 0 : size(asked.getLimits()) + size(asked.getRequests());
  }

  private static int size(@Nullable Map<?, ?> map) {
    return map == null ? 0 : map.size();
  }

  private static boolean isSidecar(Container container) {
    return "Always".equals(container.getRestartPolicy());
  }

  private static void add(
      Map<String, BigDecimal> sum, Container container, BinaryOperator<BigDecimal> how) {
    ResourceRequirements asked = container.getResources();
    if (asked == null) {
      return;
    }
    Map<String, Quantity> own = new TreeMap<>(orEmpty(asked.getLimits()));
    own.putAll(orEmpty(asked.getRequests()));
    own.forEach((name, quantity) -> {
      BigDecimal amount = amount(quantity);
      if (amount.signum() > 0 && (sum.size() < 2 * RESOURCES || sum.containsKey(name))) {
        sum.merge(name, amount, (a, b) -> how.apply(a, b).min(MOST));
      }
    });
  }

  private static Map<String, Quantity> orEmpty(@Nullable Map<String, Quantity> amounts) {
    return amounts == null ? Map.of() : amounts;
  }

  /// Returns the amount, to a billionth and at most [#MOST]; zero if it is no number.
  private static BigDecimal amount(Quantity quantity) {
    BigDecimal amount;
    try {
      amount = quantity.getNumericalAmount();
    } catch (IllegalArgumentException | ArithmeticException _) {
      return BigDecimal.ZERO;
    }
    if (amount.signum() <= 0) {
      return BigDecimal.ZERO;
    }
    return amount.compareTo(MOST) >= 0
        ? MOST
        : amount.max(LEAST).setScale(LEAST.scale(), RoundingMode.CEILING);
  }

  private static Container unnamed(
      Map<String, BigDecimal> amounts, @Nullable String restartPolicy) {
    Map<String, Quantity> requests = new LinkedHashMap<>();
    amounts.forEach((name, amount) -> requests.put(name, new Quantity(amount.toPlainString())));
    return new ContainerBuilder()
        .withRestartPolicy(restartPolicy)
        .withNewResources()
        .withRequests(requests)
        .endResources()
        .build();
  }

  /// Reads the amounts of one container.
  public static final class Amounts extends JsonDeserializer<Map<String, Quantity>> {
    @Override
    public Map<String, Quantity> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      if (!parser.isExpectedStartObjectToken()) {
        context.reportInputMismatch(Quantity.class, "The amounts are no map.");
      }
      Map<String, Quantity> amounts = new LinkedHashMap<>();
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        if (parser.nextToken() == JsonToken.VALUE_NULL) {
          continue;
        }
        Quantity amount = context.readValue(parser, Quantity.class);
        if (amounts.size() < RESOURCES
            || (amounts.size() < 2 * RESOURCES && !"0".equals(amount.getAmount()))) {
          amounts.put(name, amount);
        }
      }
      return amounts;
    }
  }
}
