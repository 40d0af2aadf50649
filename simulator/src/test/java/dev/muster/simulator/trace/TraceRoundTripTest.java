package dev.muster.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.gang.GangConstraints;
import dev.muster.core.gang.GpuModelPreference;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.NodeSelection.PreferredTerm;
import dev.muster.core.gang.Request;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Resources;
import dev.muster.core.gang.Taint;
import dev.muster.core.gang.Toleration;
import dev.muster.core.gang.TopologyConstraint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// A trace written in Muster's own format is read back equal.
final class TraceRoundTripTest {
  @Property(tries = 200)
  void every_job_is_read_back(@ForAll("jobs") TraceJob job) throws IOException {
    Path file = Files.createTempFile("trace", ".jsonl.gz");
    try {
      try (TraceWriter out = new TraceWriter(file, Instant.EPOCH, List.of("A note."))) {
        out.write(job);
      }
      assertThat(Samples.jobs(file, TraceOptions.DEFAULT)).containsExactly(job);
    } finally {
      Files.delete(file);
    }
  }

  @Provide
  Arbitrary<TraceJob> jobs() {
    Arbitrary<Integer> workers = Arbitraries.integers().between(1, 200);
    Arbitrary<Long> millis = Arbitraries.longs().between(0, Long.MAX_VALUE / 2_000_000);
    Arbitrary<String> names = Arbitraries.strings().ofMaxLength(8).map(String::strip);
    return Combinators.combine(workers, requests(), wishes(), millis, names)
        .as((members, request, wished, time, name) ->
            new TraceJob(
                "job" + name,
                name,
                name,
                time,
                time / 3,
                members,
                1 + members / 2,
                request,
                wished,
                members % 3 - 1,
                name,
                name,
                members % 2 == 0 ? OptionalLong.of(time / 5) : OptionalLong.empty()));
  }

  private static Arbitrary<Request> requests() {
    Arbitrary<Boolean> flags = Arbitraries.of(true, false);
    Arbitrary<String> resource = Arbitraries.of("nvidia.com/gpu", "amd.com/gpu");
    return Combinators.combine(
            Arbitraries.integers().between(0, 8),
            Arbitraries.integers().between(0, 999),
            Arbitraries.longs().between(0, 1L << 40),
            resource,
            flags)
        .as((gpus, milli, memory, name, single) ->
            new Request(
                Resources.of(Map.of(name, (long) gpus, "memory", memory, "pods", 1L)),
                gpus,
                gpus > 0 ? 0 : milli,
                single ? NodeSelection.ANY : labelled("pool", name),
                single));
  }

  private static NodeSelection labelled(String key, String value) {
    Requirement label = new Requirement(key, Requirement.Operator.IN, List.of(value));
    Requirement other = new Requirement("zone", Requirement.Operator.NOT_IN, List.of("a", "b"));
    Requirement any = new Requirement("big", Requirement.Operator.EXISTS, List.of());
    Toleration gpus = new Toleration(Optional.of(key), Optional.empty(), Optional.empty());
    Toleration spot =
        new Toleration(
            Optional.of("spot"), Optional.of(value), Optional.of(Taint.Effect.NO_SCHEDULE));
    return new NodeSelection(
        List.of(label),
        List.of(List.of(other, any), List.of(any)),
        List.of(gpus, spot),
        List.of(new PreferredTerm(30, List.of(other, any)), new PreferredTerm(1, List.of(label))));
  }

  private static Arbitrary<GangConstraints> wishes() {
    Arbitrary<Optional<String>> level = Arbitraries.of("rack", "block").optional();
    Arbitrary<GpuModelPreference> models =
        Arbitraries.of(
            GpuModelPreference.ANY, new GpuModelPreference(List.of("H100", "A100"), true));
    Arbitrary<Optional<Duration>> told =
        Arbitraries.longs().between(1, 1L << 40).map(Duration::ofMillis).optional();
    return Combinators.combine(level, level, models, told)
        .as((required, preferred, gpus, limit) ->
            new GangConstraints(TopologyConstraint.of(required, preferred), gpus, limit));
  }
}
