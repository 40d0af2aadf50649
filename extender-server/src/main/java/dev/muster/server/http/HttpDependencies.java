package dev.muster.server.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.gang.Member;
import dev.muster.core.state.Policies;
import dev.muster.core.state.State;
import dev.muster.policy.preemption.load.PolicyWatch;
import dev.muster.server.http.access.PageAccess;
import dev.muster.server.http.extender.PodScope;
import dev.muster.server.http.page.GangTransitions;
import dev.muster.server.http.page.ServerFacts;
import dev.muster.server.usage.UsageBook;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// The dependencies of the HTTP side.
///
/// @param image newest published image; read by many threads
/// @param policies configuration in force
/// @param scope pods that Muster places
/// @param webhook changes that the webhook makes to new pods
/// @param metrics counters of requests
/// @param readiness whether Muster can decide, or could
/// @param policy status of the preemption policy files, if there are any
/// @param ledger last entries of the ledger of preemptions, oldest first
/// @param asked receiver of each question of kube-scheduler about a member
/// @param access decides what callers of the pages may see
/// @param server what the page about the server says
/// @param usage GPU time by day and account
/// @param history last transitions of gangs
public record HttpDependencies(
    Supplier<State> image,
    Supplier<Policies> policies,
    PodScope scope,
    WebhookOptions webhook,
    ServerMetrics metrics,
    Readiness readiness,
    Optional<Supplier<PolicyWatch.Status>> policy,
    Supplier<List<ObjectNode>> ledger,
    BiConsumer<State, Member> asked,
    PageAccess access,
    ServerFacts server,
    UsageBook usage,
    GangTransitions history) {
  /// Whether this process can decide.
  ///
  /// @param decides true if Muster can decide: everything was seen, and this process leads
  /// @param isAvailable true if it decides, or could take over from the leader at once
  record Readiness(BooleanSupplier decides, BooleanSupplier isAvailable) {}

  /// Creates dependencies without a preemption policy, and with pages for everybody.
  public HttpDependencies(
      Supplier<State> image,
      Supplier<Policies> policies,
      PodScope scope,
      WebhookOptions webhook,
      ServerMetrics metrics,
      BooleanSupplier isReady) {
    this(
        image,
        policies,
        scope,
        webhook,
        metrics,
        new Readiness(isReady, isReady),
        Optional.empty(),
        List::of,
        (_, _) -> {},
        PageAccess.OPEN,
        ServerFacts.ALONE,
        UsageBook.inMemory(),
        new GangTransitions());
  }

  /// Returns a copy with a preemption policy.
  public HttpDependencies with(Supplier<PolicyWatch.Status> status) {
    return new HttpDependencies(
        image,
        policies,
        scope,
        webhook,
        metrics,
        readiness,
        Optional.of(status),
        ledger,
        asked,
        access,
        server,
        usage,
        history);
  }

  /// Returns a copy that counts a standby as available.
  public HttpDependencies standingBy(BooleanSupplier available) {
    Readiness other = new Readiness(readiness.decides(), available);
    return new HttpDependencies(
        image, policies, scope, webhook, metrics, other, policy, ledger, asked, access, server,
        usage, history);
  }

  /// Returns a copy with a ledger of preemptions.
  public HttpDependencies noting(Supplier<List<ObjectNode>> acts) {
    return new HttpDependencies(
        image, policies, scope, webhook, metrics, readiness, policy, acts, asked, access, server,
        usage, history);
  }

  /// Returns a copy with a receiver of the questions of kube-scheduler about members.
  public HttpDependencies asking(BiConsumer<State, Member> receiver) {
    return new HttpDependencies(
        image, policies, scope, webhook, metrics, readiness, policy, ledger, receiver, access,
        server, usage, history);
  }

  /// Returns a copy whose pages show each caller only what it may see.
  public HttpDependencies reviewing(PageAccess reviews) {
    return new HttpDependencies(
        image, policies, scope, webhook, metrics, readiness, policy, ledger, asked, reviews, server,
        usage, history);
  }

  /// Returns a copy of this server.
  public HttpDependencies running(ServerFacts facts) {
    return new HttpDependencies(
        image, policies, scope, webhook, metrics, readiness, policy, ledger, asked, access, facts,
        usage, history);
  }

  /// Returns a copy that shows this usage.
  public HttpDependencies accounting(UsageBook book) {
    return new HttpDependencies(
        image, policies, scope, webhook, metrics, readiness, policy, ledger, asked, access, server,
        book, history);
  }

  /// Returns a copy that shows these transitions of gangs.
  public HttpDependencies remembering(GangTransitions transitions) {
    return new HttpDependencies(
        image,
        policies,
        scope,
        webhook,
        metrics,
        readiness,
        policy,
        ledger,
        asked,
        access,
        server,
        usage,
        transitions);
  }
}
