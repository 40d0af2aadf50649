package dev.muster.server.kube.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.muster.server.kube.parse.FieldSelection;
import dev.muster.server.logging.LogThrottle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Access to all objects of one kind on the API server. Every answer is read object by object.
///
/// Watches are plain HTTP requests. A WebSocket needs proxies that pass the header `Upgrade`, and
/// the client gathers the endless answer of those that drop it.
///
/// @param name display name of the objects in messages
/// @param path path of the objects, such as `/api/v1/pods`, perhaps with a selector as query
/// @param type type of one object
/// @param selection fields that are read of each object
/// @param api calls to the API server
public record ResourceKind<T extends HasMetadata>(
    String name, String path, Class<T> type, FieldSelection selection, ApiCalls api) {
  /// Most objects per page of a list. A list without a limit may be outdated (`resourceVersion=0`).
  /// A restarted list would then remove objects that were created since.
  public static final int PAGE = 1000;

  /// Time limit until a watch begins.
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /// Time limit until a page begins. The API server gathers it first.
  private static final Duration PAGE_BEGINS = Duration.ofSeconds(15);

  /// Time limit of one object of a page. The page has none: it may have gigabytes.
  private static final Duration OBJECT_LIMIT = Duration.ofMinutes(1);

  private static final String NO_LIST = "the answer is no list";
  private static final ObjectMapper MAPPER = ObjectTrimmer.mapper();
  private static final Logger log = LoggerFactory.getLogger(ResourceKind.class);
  private static final LogThrottle THROTTLE = new LogThrottle();

  /// The state of a watch that may have missed changes.
  public enum Standing {
    /// The watch missed nothing.
    CURRENT,
    /// Something changed, or the version is too old to find out.
    BEHIND,
    /// The API server did not answer the query.
    UNKNOWN
  }

  /// What a page of a list says about the whole list.
  ///
  /// @param version version of the list
  /// @param next token of the next page; empty on the last one
  public record Page(String version, String next) {}

  /// An object of an answer.
  ///
  /// @param object the object; of one that is not readable, only key and version count
  /// @param isReadable false if a field has a value that is not expected
  public record Item<T>(T object, boolean isReadable) {}

  /// A refusal of the API server, or a connection error.
  public static final class Failure extends IOException {
    private final boolean expired;
    private final int code;

    private Failure(ApiCalls.Answer answer, boolean listAgain) {
      super(answer.problem());
      code = answer.code();
      expired = listAgain || isOutdated();
    }

    /// True if the objects must be listed again. The version of the watch, or the token of the
    /// page, is too old then.
    public boolean isExpired() {
      return expired;
    }

    /// True if only the version or the token was too old, which is normal after an outage.
    public boolean isOutdated() {
      return code == 410;
    }

    /// True if the role may not read the objects, or the API server does not serve them.
    public boolean isRefusal() {
      return isForbidden() || code == 404;
    }

    /// True if the role may not read the objects.
    public boolean isForbidden() {
      return code == 403;
    }
  }

  /// Creates access to the objects under a path of the API server, such as `/api/v1/pods`.
  public static <T extends HasMetadata> ResourceKind<T> of(
      String name, KubernetesClient client, String path, Class<T> type) {
    return new ResourceKind<>(
        name, path, type, ObjectTrimmer.selection(type), new ApiCalls(client));
  }

  /// Returns this access, of which only these fields are read.
  public ResourceKind<T> reading(FieldSelection fields) {
    return new ResourceKind<>(name, path, type, fields, api);
  }

  /// Reads one page of the list.
  ///
  /// @param next token of the page; empty for the first one
  /// @param size most objects of the page
  /// @param each receiver of every object
  public Page page(String next, int size, Consumer<Item<T>> each) throws IOException {
    String from =
        next.isEmpty() ? "" : "&continue=" + URLEncoder.encode(next, StandardCharsets.UTF_8);
    try (ApiStream stream = good(api.open(query() + "limit=" + size + from, PAGE_BEGINS));
        var limit = stream.within(OBJECT_LIMIT);
        JsonParser parser = ObjectTrimmer.parser(stream.body())) {
      JsonNode metadata = MissingNode.getInstance();
      String apiVersion = "";
      String kind = "";
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException(NO_LIST);
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken value = parser.nextToken();
        if (field.equals("metadata")) {
          metadata = MAPPER.readTree(parser);
        } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
          while (parser.nextToken() == JsonToken.START_OBJECT) {
            item(parser).map(typed(apiVersion, kind)).ifPresent(each);
            limit.restart();
          }
        } else if (field.equals("apiVersion")) {
          apiVersion = parser.getText();
        } else if (field.equals("kind")) {
          kind = parser.getText().replaceFirst("List$", "");
        } else {
          parser.skipChildren();
        }
      }
      String version = metadata.path("resourceVersion").asText();
      if (version.isEmpty()) { // otherwise all objects would count as deleted
        throw new IOException(NO_LIST);
      }
      return new Page(version, metadata.path("continue").asText());
    }
  }

  /// Reads the object at which the parser is, and moves to its end. Empty if not even its metadata
  /// can be read.
  private Optional<Item<T>> item(JsonParser parser) throws IOException {
    int level = parser.getParsingContext().getNestingDepth();
    try {
      return Optional.of(new Item<>(ObjectTrimmer.read(parser, type, selection), true));
    } catch (JsonProcessingException | RuntimeException e) {
      if (isNoJson(e)) {
        throw e;
      }
      while (parser.getParsingContext().getNestingDepth() >= level) {
        if (parser.nextToken() == null) {
          throw e;
        }
      }
      Optional<T> known = known(e);
      if (THROTTLE.isNew(name + e.getClass())) {
        log.error(
            "{} of the {} cannot be read, so its change is ignored",
            known.map(Cache::metaNamespaceKeyFunc).orElse("An object"),
            name,
            e);
      }
      return known.map(object -> new Item<>(object, false));
    }
  }

  /// True if the answer is cut or nonsense. What follows is not the rest of the object then.
  private static boolean isNoJson(Throwable failed) {
    return Stream.iterate(failed, Objects::nonNull, Throwable::getCause)
        .anyMatch(e -> e instanceof StreamReadException && !(e instanceof InputCoercionException));
  }

  /// Returns what was read of an object before its reading failed, if that identifies it.
  private Optional<T> known(Exception failed) {
    return failed instanceof JsonMappingException at && !at.getPath().isEmpty()
        ? Optional.ofNullable(at.getPath().getFirst().getFrom())
            .filter(type::isInstance)
            .map(type::cast)
            .filter(object -> object.getMetadata() != null)
            .filter(object -> object.getMetadata().getName() != null)
        : Optional.empty();
  }

  /// Sets the type of the list. The API server leaves it out of the objects of lists of its own
  /// kinds.
  private static <T extends HasMetadata> UnaryOperator<Item<T>> typed(
      String apiVersion, String kind) {
    return item -> {
      if (item.object() instanceof GenericKubernetesResource untyped && untyped.getKind() == null) {
        untyped.setApiVersion(apiVersion);
        untyped.setKind(kind);
      }
      return item;
    };
  }

  /// Begins to watch, and returns when the API server has begun to answer.
  ///
  /// @param version version after which changes are reported
  /// @param limit time after which the API server ends the watch
  public ApiStream watch(String version, Duration limit) throws IOException {
    return watch(version, limit, "&allowWatchBookmarks=true");
  }

  private ApiStream watch(String version, Duration limit, String options) throws IOException {
    return good(
        api.open(
            query()
                + "watch=true&timeoutSeconds=%d&resourceVersion=%s"
                    .formatted(limit.toSeconds(), version)
                + options,
            PATIENCE));
  }

  /// Returns the path, up to the next parameter.
  private String query() {
    return path + (path.contains("?") ? "&" : "?");
  }

  private static ApiStream good(ApiStream stream) throws Failure {
    if (stream.code() == 200) {
      return stream;
    }
    try (stream) {
      throw new Failure(stream.outcome(), false);
    }
  }

  /// One change of an object.
  ///
  /// @param type such as `MODIFIED`
  /// @param line the line of the watch with the object, or with the Status of an error
  @SuppressWarnings("ArrayRecordComponent") // read once, never compared
  public record Change(String type, byte[] line) {
    /// Reads the type in a line of a watch.
    public static Change of(byte[] line) throws IOException {
      try (JsonParser parser = ObjectTrimmer.parser(new ByteArrayInputStream(line))) {
        return new Change(moveTo("type", parser) ? parser.getText() : "", line);
      }
    }

    /// Returns the error that this change is.
    public Failure failure() throws IOException {
      JsonNode object = MAPPER.readTree(line).path("object");
      return new Failure(new ApiCalls.Answer(object.path("code").asInt(), object.toString()), true);
    }
  }

  /// Returns the object of a change. Only what is kept of it becomes an object in memory.
  ///
  /// @throws IOException if it cannot be told which object changed
  public Item<T> read(Change change) throws IOException {
    try (JsonParser parser = ObjectTrimmer.parser(new ByteArrayInputStream(change.line()))) {
      if (!moveTo("object", parser) || parser.currentToken() != JsonToken.START_OBJECT) {
        throw new IOException("the change has no object");
      }
      return item(parser)
          .orElseThrow(() -> new IOException("the metadata of the object cannot be read"));
    }
  }

  /// Moves the parser to the value of a field; false if the object has no such field.
  private static boolean moveTo(String field, JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new IOException("the change is no object");
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      if (name.equals(field)) {
        return true;
      }
      parser.skipChildren();
    }
    return false;
  }

  /// Returns the state of a watch whose newest version is given. The query is a separate watch of
  /// the shortest duration that the API server accepts. Only the first byte of its answer is read,
  /// however much has changed. It takes a second if nothing changed.
  public Standing standing(String version) {
    try (ApiStream watch = watch(version, Duration.ofSeconds(1), "");
        var _ = watch.within(PATIENCE)) {
      return watch.body().read() < 0 ? Standing.CURRENT : Standing.BEHIND;
    } catch (Failure refused) {
      return refused.isExpired() ? Standing.BEHIND : Standing.UNKNOWN;
    } catch (IOException _) {
      return Standing.UNKNOWN;
    }
  }
}
