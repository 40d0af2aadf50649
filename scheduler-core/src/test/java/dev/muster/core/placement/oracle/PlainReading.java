package dev.muster.core.placement.oracle;

import dev.muster.core.decision.ReasonText;
import dev.muster.core.gang.Request;
import dev.muster.core.node.NodeState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A plain reading of a reason against the cluster. It knows the sentences and the facts, and
/// nothing of the code that made them.
///
/// @param puzzle the cluster and the gang that waits
record PlainReading(Puzzle puzzle) {
  private static final String EMPTY = "There is no place even when all nodes are empty. ";
  private static final String MIX = " A mix of models is not allowed (muster.dev/mix-gpu-models).";
  private static final String GPUS = "(\\d+) GPUs?";
  private static final Pattern SUM = Pattern.compile("Needs .*; free on matching nodes: .*");
  private static final Pattern DOMAIN =
      Pattern.compile(
          "Needs " + GPUS + " [io]n one (\\S+); the best(?:, (\\S+),)? has (\\d+) free\\.");
  private static final Pattern MODEL =
      Pattern.compile(
          "Needs "
              + GPUS
              + " of one model; the best, (\\S+), has (\\d+) free\\."
              + Pattern.quote(MIX));
  private static final Pattern MODEL_IN_DOMAIN =
      Pattern.compile(
          "Needs "
              + GPUS
              + " of one model in one (\\S+); the best, (\\S+) with (\\S+), has (\\d+) free\\.");
  private static final Pattern PIECES =
      Pattern.compile(
          GPUS
              + " (?:is|are) free on (\\d+) nodes?, but at most (\\d+) on one(?: node)?; needs (?:\\d+ members of up to )?"
              + GPUS
              + "(?: each| on one node)\\.");
  private static final Pattern PLACES =
      Pattern.compile(
          "(\\d+) members? needs? (.+?)( each)?(, on nodes of their own)?(?: in (one|the) (\\S+)(?: of the others)?)?"
              + "(?: on (?:one|their) model)?; (?:the matching nodes have|the best has|(?:the best|that), (.+), has) (\\d+) such places? free\\.");
  private static final Pattern SLICES =
      Pattern.compile(
          "(\\d+) slices? of up to (\\d+) members? with (.+?) each(?: on nodes of their own)? needs? one (\\S+) per slice"
              + "(?: in (?:one|the) (\\S+)(?: of the others)?)?(?: on (?:one|their) model)?; .* room for (\\d+)\\.");
  private static final Pattern APART =
      Pattern.compile(
          "Places are free for each member alone, but (there are none|none were found) .*");
  private static final Pattern ON_NODE =
      Pattern.compile(
          "One member needs (.+); free on the node(?: after promises to starting gangs)?: (.+)\\.");
  private static final Pattern TOO_BIG =
      Pattern.compile(
          "Needs "
              + GPUS
              + "(?:; the matching nodes have (\\d+) in total| in one (\\S+); the largest has (\\d+)"
              + "| on one node; the largest matching node has (\\d+))\\.");
  private static final Pattern TOO_BIG_FOR_MODELS =
      Pattern.compile(
          "Needs "
              + GPUS
              + " of one model(?: in one (\\S+))?; the best, (\\S+), has (\\d+)\\."
              + Pattern.quote(MIX));
  private static final Pattern NO_NODE =
      Pattern.compile("(\\d+) of (\\d+) nodes? match(?:es)?: (.*)\\.");
  private static final Pattern APART_MATES =
      Pattern.compile("The placed members must be in one (\\S+), but are not.*");
  private static final Pattern UNKNOWN =
      Pattern.compile("The topology level (.+) is not known\\..*");
  private static final Pattern WIDE =
      Pattern.compile("Slices inside one \\S+ cannot lie inside one \\S+ together\\..*");

  /// Returns what is false in the sentence; empty if it is true.
  Optional<String> fault(String sentence) {
    if (sentence.startsWith(EMPTY)) {
      return new PlainReading(EmptyNodes.of(puzzle)).fault(sentence.substring(EMPTY.length()));
    }
    for (Map.Entry<Pattern, Function<Matcher, Optional<String>>> reading : readings().entrySet()) {
      Matcher matcher = reading.getKey().matcher(sentence);
      if (matcher.matches()) {
        return reading.getValue().apply(matcher);
      }
    }
    return Optional.of("cannot be read");
  }

  private Map<Pattern, Function<Matcher, Optional<String>>> readings() {
    Map<Pattern, Function<Matcher, Optional<String>>> readings = new LinkedHashMap<>();
    readings.put(
        SUM, m -> require(counts().sums().contains(m.group()), "true are " + counts().sums()));
    readings.put(
        DOMAIN,
        m ->
            best(
                counts().gpusBy(counts().depth(m.group(2)), _ -> ""),
                Objects.toString(m.group(3), ""),
                number(m, 1),
                number(m, 4)));
    readings.put(
        MODEL,
        m -> best(counts().gpusBy(0, Puzzle::model), m.group(2), number(m, 1), number(m, 3)));
    readings.put(
        MODEL_IN_DOMAIN,
        m ->
            best(
                counts().gpusBy(counts().depth(m.group(2)), Puzzle::model),
                m.group(3) + " with " + m.group(4),
                number(m, 1),
                number(m, 5)));
    readings.put(PIECES, m -> pieces(number(m, 1), number(m, 2), number(m, 3), (int) number(m, 4)));
    readings.put(PLACES, this::places);
    readings.put(SLICES, this::slices);
    readings.put(
        APART,
        _ ->
            require(
                counts().kinds().keySet().stream().allMatch(this::fitsAlone),
                "a kind lacks places"));
    readings.put(ON_NODE, m -> onNode(m.group(1), m.group(2)));
    readings.put(TOO_BIG, this::tooBig);
    readings.put(
        TOO_BIG_FOR_MODELS, m -> new PlainReading(EmptyNodes.of(puzzle)).tooBigForModels(m));
    readings.put(NO_NODE, this::noNode);
    readings.put(APART_MATES, m -> apart(counts().depth(m.group(1))));
    readings.put(
        UNKNOWN,
        m ->
            require(
                puzzle.topology().depthOf(m.group(1)).isEmpty() && !m.group(1).contains(" "),
                "the level is known"));
    readings.put(WIDE, _ -> require(!puzzle.makesSense(), "they can"));
    return readings;
  }

  private Optional<String> apart(int depth) {
    long domains =
        puzzle.mates().stream().map(id -> puzzle.domain(puzzle.node(id), depth)).distinct().count();
    return require(domains > 1, "they are together");
  }

  private PlainCounts counts() {
    return new PlainCounts(puzzle);
  }

  private static Optional<String> require(boolean holds, String fault) {
    return holds ? Optional.empty() : Optional.of(fault);
  }

  private static long number(Matcher m, int group) {
    return Long.parseLong(m.group(group));
  }

  // ---- Sums ----

  private Optional<String> best(Map<String, Long> free, String best, long asked, long has) {
    long most = free.values().stream().mapToLong(it -> it).max().orElse(0);
    return require(
        asked == counts().sum(Request::gpus)
            && has == most
            && has < asked
            && (best.isEmpty() || free.getOrDefault(best, 0L) == has),
        "free are " + free);
  }

  private Optional<String> pieces(long free, long nodes, long largest, int each) {
    int biggest = counts().kinds().keySet().stream().mapToInt(Request::gpus).max().orElseThrow();
    for (Request kind : counts().kinds().keySet()) {
      List<Integer> pieces =
          puzzle.nodes().stream()
              .filter(n -> counts().takes(n, kind))
              .map(NodeState::freeGpus)
              .filter(n -> n > 0)
              .toList();
      boolean told =
          pieces.stream().mapToInt(it -> it).sum() == free
              && pieces.size() == nodes
              && pieces.stream().mapToInt(it -> it).max().orElse(0) == largest;
      long places = each == 0 ? Long.MAX_VALUE : pieces.stream().mapToInt(it -> it / each).sum();
      if (kind.gpus() == each && each == biggest && told && places < counts().count(kind)) {
        return Optional.empty();
      }
    }
    return Optional.of("these pieces would do, or are others");
  }

  // ---- Places ----

  private boolean fitsAlone(Request kind) {
    String all = NamedPart.ALL;
    long most =
        counts().placesBy(puzzle.requiredDepth().orElse(0), kind, all).values().stream()
            .mapToLong(it -> it)
            .max()
            .orElse(0);
    return most >= counts().count(kind);
  }

  private Optional<String> places(Matcher m) {
    List<Request> kinds = counts().named((int) number(m, 1), m.group(2));
    return kinds.stream().anyMatch(kind -> places(m, kind).isEmpty())
        ? Optional.empty()
        : Optional.of(
            "places are " + kinds.stream().map(kind -> places(m, kind).orElse("")).toList());
  }

  private Optional<String> places(Matcher m, Request kind) {
    boolean pinned = "the".equals(m.group(5)) && !puzzle.slices().isEmpty();
    int depth = m.group(6) == null ? 0 : counts().depth(m.group(6));
    Map<String, Long> places = counts().placesBy(depth, kind, m.group(2));
    if (pinned && depth == puzzle.sliceDepth().orElse(0)) {
      places.keySet().removeIf(key -> !m.group(7).startsWith(key.substring(0, key.indexOf('|'))));
    }
    long most = places.values().stream().mapToLong(it -> it).max().orElse(0);
    boolean whole = pinned || number(m, 1) == counts().count(kind);
    return require(
        whole
            && most == number(m, 8)
            && most < number(m, 1)
            && (m.group(4) == null || kind.onePerNode())
            && (m.group(7) == null || most == 0 || named(places, m.group(7)) == most),
        "" + places);
  }

  private static long named(Map<String, Long> places, String best) {
    return places.entrySet().stream()
        .filter(e -> {
          String domain = e.getKey().substring(0, e.getKey().indexOf('|'));
          String model = e.getKey().substring(domain.length() + 1);
          return best.equals(PlainCounts.name(domain, model))
              || best.equals(domain)
              || best.equals(model);
        })
        .mapToLong(Map.Entry::getValue)
        .max()
        .orElse(-1);
  }

  private Optional<String> slices(Matcher m) {
    int size = (int) number(m, 2);
    Request kind = counts().named(-1, m.group(3)).getFirst();
    int inner = counts().depth(m.group(4));
    int outer = m.group(5) == null ? 0 : counts().depth(m.group(5));
    int rest = puzzle.waiting().size() - ((int) number(m, 1) - 1) * size;
    Map<String, Map<String, Integer>> places = new TreeMap<>();
    for (NodeState node : puzzle.nodes()) {
      String model = kind.wantsGpu() && !puzzle.models().isEmpty() ? Puzzle.model(node) : "";
      if (counts().takes(node, kind)
          && puzzle.isLabelled(node, outer)
          && puzzle.isLabelled(node, inner)
          && counts().isHome(node)
          && (model.isEmpty() || counts().isPermitted(model))) {
        places
            .computeIfAbsent(counts().place(node, outer) + "|" + model, _ -> new TreeMap<>())
            .merge(
                counts().place(node, inner), counts().places(node, kind, m.group(3)), Integer::sum);
      }
    }
    long most = 0;
    for (Map<String, Integer> domains : places.values()) {
      long whole = domains.values().stream().mapToInt(it -> it / size).sum();
      boolean forRest = rest < size && domains.values().stream().anyMatch(it -> it % size >= rest);
      most = Math.max(most, whole + (forRest ? 1 : 0));
    }
    return require(most == number(m, 6) && most < number(m, 1), "there is room for " + places);
  }

  private Optional<String> onNode(String asked, String free) {
    boolean seen =
        counts().kinds().keySet().stream()
            .anyMatch(kind ->
                kind.resources().asMap().entrySet().stream()
                    .filter(e -> ReasonText.amount(e.getKey(), e.getValue()).equals(asked))
                    .anyMatch(e ->
                        puzzle.nodes().stream()
                            .filter(node -> counts().takes(node, kind))
                            .anyMatch(node ->
                                ReasonText.amount(
                                            e.getKey(), Math.max(0, node.free().get(e.getKey())))
                                        .equals(free)
                                    && node.free().get(e.getKey()) < e.getValue())));
    return require(seen, "no node has that");
  }

  // ---- Empty nodes ----

  private Optional<String> tooBig(Matcher m) {
    PlainReading empty = new PlainReading(EmptyNodes.of(puzzle));
    if (m.group(2) != null) {
      return empty.best(Map.of("", empty.counts().wholeGpus()), "", number(m, 1), number(m, 2));
    }
    int depth = m.group(3) == null ? puzzle.topology().nodeDepth() : counts().depth(m.group(3));
    long has = number(m, m.group(3) == null ? 5 : 4);
    boolean isSum = number(m, 1) == counts().sum(Request::gpus);
    Map<String, Long> sizes = new TreeMap<>();
    for (NodeState node : empty.puzzle.nodes()) {
      boolean matches =
          counts().kinds().keySet().stream()
              .filter(k -> k.wantsGpu() && (isSum || k.gpus() == number(m, 1)))
              .anyMatch(k -> puzzle.takes(node, k));
      if (matches && puzzle.isLabelled(node, depth)) {
        sizes.merge(counts().place(node, depth), (long) node.node().gpus(), Long::sum);
      }
    }
    boolean asked =
        isSum || counts().kinds().keySet().stream().anyMatch(k -> k.gpus() == number(m, 1));
    long most = sizes.values().stream().mapToLong(it -> it).max().orElse(0);
    Map<String, Long> exact = empty.counts().gpusBy(depth, _ -> "");
    long mostExact = exact.values().stream().mapToLong(it -> it).max().orElse(0);
    return require(
        asked && (has == most || has == mostExact) && has < number(m, 1), "sizes are " + sizes);
  }

  private Optional<String> tooBigForModels(Matcher m) {
    int depth = m.group(2) == null ? 0 : counts().depth(m.group(2));
    Map<String, Long> sizes = counts().gpusBy(depth, Puzzle::model);
    long most = sizes.values().stream().mapToLong(it -> it).max().orElse(0);
    return require(
        number(m, 1) == counts().sum(Request::gpus) && number(m, 4) == most && most < number(m, 1),
        "sizes are " + sizes);
  }

  private Optional<String> noNode(Matcher m) {
    boolean none =
        counts().kinds().keySet().stream()
            .anyMatch(k -> puzzle.nodes().stream().noneMatch(n -> counts().takes(n, k)));
    long counted =
        Pattern.compile("(?:^|, )(\\d+) [A-Z]\\w+ \\(")
            .matcher(m.group(3))
            .results()
            .mapToLong(r -> Long.parseLong(r.group(1)))
            .sum();
    return require(
        none && number(m, 1) == 0 && counted == puzzle.nodes().size() && number(m, 2) == counted,
        "nodes match, or others are counted: " + counted);
  }
}
