package dev.muster.policy.preemption;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.core.gang.GangId;
import dev.muster.core.victims.GangProfile;
import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.expression.ExpressionFailure;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.policy.yaml.FileProblem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/// Policies parsed from text, and gangs to judge by them.
public final class PolicyYaml {
  public static final String HEADER = "apiVersion: policy.muster.dev/v1\nkind: PreemptionPolicy\n";
  public static final Instant NOON = Instant.parse("2026-11-02T12:00:00Z"); // a Monday

  private PolicyYaml() {}

  static PolicySources sources(String... texts) {
    SequencedMap<String, byte[]> files = new LinkedHashMap<>();
    for (String text : texts) {
      files.put("p" + files.size() + ".yaml", (HEADER + text).getBytes(UTF_8));
    }
    return new PolicySources(files, List.of());
  }

  public static PreemptionPolicy policy(String... texts) {
    return policy(new ArrayList<>(), texts);
  }

  public static PreemptionPolicy policy(List<ExpressionFailure> failures, String... texts) {
    return switch (new PolicyLoader(Plugins.NONE, failures::add).load(sources(texts))) {
      case Loaded.Valid<PreemptionPolicy>(PreemptionPolicy policy, String _) -> policy;
      case Loaded.Invalid<PreemptionPolicy> invalid -> throw new AssertionError(invalid.render());
    };
  }

  static List<String> problems(String... texts) {
    return switch (new PolicyLoader(Plugins.NONE, failure -> {}).load(sources(texts))) {
      case Loaded.Valid<PreemptionPolicy> _ -> List.of();
      case Loaded.Invalid<PreemptionPolicy>(List<FileProblem> problems) ->
          problems.stream().map(FileProblem::render).toList();
    };
  }

  /// A gang by what differs from the plainest one.
  static final class Gang {
    private String name = "default/gang";
    private Optional<String> queue = Optional.empty();
    private int priority;
    private int gpus = 1;
    private Duration ran = Duration.ZERO;
    private Optional<Duration> remaining = Optional.empty();
    private List<Instant> preempted = List.of();
    private boolean borrows;
    private boolean preemptible = true;
    private final TreeMap<String, String> labels = new TreeMap<>();
    private final TreeSet<String> models = new TreeSet<>();

    Gang name(String is) {
      name = is;
      return this;
    }

    Gang queue(String is) {
      queue = Optional.of(is);
      return this;
    }

    Gang priority(int is) {
      priority = is;
      return this;
    }

    Gang gpus(int is) {
      gpus = is;
      return this;
    }

    Gang ran(Duration is) {
      ran = is;
      return this;
    }

    Gang remaining(Duration is) {
      remaining = Optional.of(is);
      return this;
    }

    Gang preempted(Instant... are) {
      preempted = List.of(are);
      return this;
    }

    Gang borrows() {
      borrows = true;
      return this;
    }

    Gang spared() {
      preemptible = false;
      return this;
    }

    Gang label(String key, String value) {
      labels.put(key, value);
      return this;
    }

    Gang model(String is) {
      models.add(is);
      return this;
    }

    GangProfile subject() {
      String[] parts = name.split("/", 2);
      return new GangProfile(
          new GangId(parts[0], GangId.Origin.POD_GROUP, parts[1]),
          queue.orElse(parts[0]),
          priority,
          labels,
          1,
          1,
          gpus,
          1,
          models,
          Duration.ZERO,
          ran,
          remaining,
          ran,
          ran.toSeconds() * gpus,
          preempted,
          borrows,
          preemptible);
    }
  }
}
