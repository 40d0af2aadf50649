package dev.muster.deploy.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.core.cluster.Gang;
import dev.muster.core.gang.Member;
import dev.muster.core.gang.MemberId;
import dev.muster.core.gang.NodeId;
import dev.muster.core.state.State;
import dev.muster.server.kube.client.WellKnownNames;
import dev.muster.simulator.run.engine.PodBinder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Supplier;

/// A stand-in for kube-scheduler. It asks the extender's `/filter` about the nominated node, over
/// HTTP, and binds the pod when the node passes.
final class DemoKubeScheduler implements PodBinder, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30); // enough for a busy machine

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ObjectMapper mapper = new ObjectMapper();
  private final URI filter;
  private final Supplier<State> image;

  DemoKubeScheduler(int port, Supplier<State> image) {
    this.filter = URI.create("http://127.0.0.1:%d/scheduler/filter".formatted(port));
    this.image = image;
  }

  @Override
  public boolean binds(MemberId pod, NodeId nominated) {
    HttpRequest request =
        HttpRequest.newBuilder(filter)
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(arguments(member(pod), nominated).toString()))
            .build();
    try {
      JsonNode answer =
          mapper.readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
      return answer.path("NodeNames").path(0).asText().equals(nominated.name());
    } catch (IOException problem) {
      throw new UncheckedIOException("The extender did not answer.", problem);
    } catch (InterruptedException problem) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Member member(MemberId pod) {
    for (Gang gang : image.get().cluster().gangs()) {
      if (gang.members().contains(pod)) {
        return gang.members().get(pod).orElseThrow();
      }
    }
    throw new IllegalStateException("The pod (%s) is in no gang.".formatted(pod));
  }

  private ObjectNode arguments(Member member, NodeId nominated) {
    ObjectNode arguments = mapper.createObjectNode();
    ObjectNode pod = arguments.putObject("Pod");
    ObjectNode metadata = pod.putObject("metadata");
    metadata.put("namespace", member.id().namespace());
    metadata.put("name", member.id().name());
    metadata.put("uid", member.id().uid());
    metadata.putObject("labels").put(WellKnownNames.POD_GROUP, member.gang().name());
    ObjectNode spec = pod.putObject("spec").put("schedulerName", "default-scheduler");
    ObjectNode resources =
        spec.putArray("containers").addObject().put("name", "train").putObject("resources");
    resources.putObject("limits").put("nvidia.com/gpu", String.valueOf(member.request().gpus()));
    arguments.putNull("Nodes");
    arguments.putArray("NodeNames").add(nominated.name());
    return arguments;
  }

  @Override
  public void close() {
    client.close();
  }
}
