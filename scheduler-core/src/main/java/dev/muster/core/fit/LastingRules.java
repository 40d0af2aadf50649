package dev.muster.core.fit;

import dev.muster.core.cluster.GpuModel;
import dev.muster.core.cluster.Node;
import dev.muster.core.gang.NodeSelection;
import dev.muster.core.gang.Requirement;
import dev.muster.core.gang.Taint;
import java.util.List;
import java.util.Optional;

/// The rules whose vetoes stand however empty the node is, since they look at what it says of
/// itself and not at who is on it. The cheapest come first; the node's size comes last, so that
/// "too small" is said only of nodes that match otherwise.
public final class LastingRules {
  /// May members of this kind go to this node?
  @FunctionalInterface
  private interface Rule {
    Verdict check(Ask ask, Node node);
  }

  private static final List<Rule> RULES =
      List.of(
          LastingRules::cordoned,
          LastingRules::faulty,
          LastingRules::model,
          LastingRules::whole,
          LastingRules::labelled,
          LastingRules::tainted,
          LastingRules::selected,
          LastingRules::big);

  /// Labels that all nodes with GPUs have, and whose value says whether these are parts.
  private static final List<String> TELLING_LABELS =
      List.of(
          "nvidia.com/gpu.product", "nvidia.com/gpu.sharing-strategy", "nvidia.com/mig.strategy");

  /// Labels that only nodes with parts of GPUs have.
  private static final List<String> PART_LABELS =
      List.of(
          "cloud.google.com/gke-gpu-sharing-strategy",
          "cloud.google.com/gke-max-shared-clients-per-gpu",
          "cloud.google.com/gke-gpu-partition-size");

  /// What a cordon amounts to, whether or not the node has it among its taints yet.
  private static final Taint UNSCHEDULABLE =
      new Taint("node.kubernetes.io/unschedulable", "", Taint.Effect.NO_SCHEDULE);

  private LastingRules() {}

  /// The first veto of a rule, if any.
  public static Optional<Veto> veto(Ask ask, Node node) {
    for (Rule rule : RULES) {
      if (rule.check(ask, node) instanceof Verdict.Vetoed(Veto veto)) {
        return Optional.of(veto);
      }
    }
    return Optional.empty();
  }

  // The pods of a DaemonSet tolerate it, and kube-scheduler lets them.
  private static Verdict cordoned(Ask ask, Node node) {
    return node.cordoned() && ask.request().selection().isKeptAwayBy(UNSCHEDULABLE)
        ? Verdict.no(new Veto.Cordoned())
        : Verdict.FITS;
  }

  private static Verdict faulty(Ask ask, Node node) {
    return node.faults().isEmpty()
        ? Verdict.FITS
        : Verdict.no(new Veto.Faulty(node.faults().getFirst()));
  }

  private static Verdict big(Ask ask, Node node) {
    if (ask.request().gpuMilli() > 0 && node.gpus() == 0) {
      return Verdict.no(new Veto.NodeTooSmall("GPU", 1, 0));
    }
    String tooSmall = node.allocatable().firstShort(ask.request().resources());
    return tooSmall == null
        ? Verdict.FITS
        : Verdict.no(
            new Veto.NodeTooSmall(
                tooSmall,
                ask.request().resources().get(tooSmall),
                node.allocatable().get(tooSmall)));
  }

  private static Verdict model(Ask ask, Node node) {
    return !ask.request().wantsGpu() || ask.gpus().accepts(node.model().name())
        ? Verdict.FITS
        : Verdict.no(new Veto.WrongModel(ask.gpus().models(), node.model().toString()));
  }

  // Slices and shares are counted under the name of whole GPUs on some nodes; only who names them
  // gets them.
  private static Verdict whole(Ask ask, Node node) {
    GpuModel model = node.model();
    return !ask.request().wantsGpu() || model.kind() == GpuModel.Kind.WHOLE || names(ask, node)
        ? Verdict.FITS
        : Verdict.no(new Veto.NotWholeGpus(model.kind()));
  }

  private static boolean names(Ask ask, Node node) {
    NodeSelection selection = ask.request().selection();
    return ask.gpus().models().contains(node.model().name())
        || selection.all().stream().anyMatch(LastingRules::asksForParts)
        || selection.anyOf().stream()
            .anyMatch(
                term -> term.stream().anyMatch(LastingRules::asksForParts) && holds(term, node))
        || ask.request().resources().asMap().keySet().stream().anyMatch(LastingRules::isPart);
  }

  // Who excludes a value, or names that of whole GPUs, asks for none.
  private static boolean asksForParts(Requirement requirement) {
    return switch (requirement.operator()) {
      case IN ->
          PART_LABELS.contains(requirement.key())
              || (TELLING_LABELS.contains(requirement.key())
                  && !requirement.values().equals(List.of("none")));
      case EXISTS, GT, LT -> PART_LABELS.contains(requirement.key());
      case NOT_IN, DOES_NOT_EXIST -> false;
    };
  }

  private static boolean isPart(String resource) {
    return resource.startsWith("nvidia.com/mig-") || resource.endsWith(".shared");
  }

  private static Verdict labelled(Ask ask, Node node) {
    return ask.label().isEmpty() || node.liesIn(ask.label().get())
        ? Verdict.FITS
        : Verdict.no(new Veto.Unlabelled(ask.label().get()));
  }

  private static Verdict tainted(Ask ask, Node node) {
    for (Taint taint : node.taints()) {
      if (ask.request().selection().isKeptAwayBy(taint)) {
        return Verdict.no(new Veto.Tainted(taint));
      }
    }
    return Verdict.FITS;
  }

  private static Verdict selected(Ask ask, Node node) {
    for (Requirement requirement : ask.request().selection().all()) {
      if (!requirement.holdsFor(node.value(requirement.key()))) {
        return Verdict.no(new Veto.NotSelected(requirement.toString()));
      }
    }
    List<List<Requirement>> anyOf = ask.request().selection().anyOf();
    return anyOf.isEmpty() || anyOf.stream().anyMatch(term -> holds(term, node))
        ? Verdict.FITS
        : Verdict.no(new Veto.NotSelected("the required node affinity " + anyOf));
  }

  // A term without requirements matches nothing: so says Kubernetes.
  private static boolean holds(List<Requirement> term, Node node) {
    return !term.isEmpty() && term.stream().allMatch(r -> r.holdsFor(node.value(r.key())));
  }
}
