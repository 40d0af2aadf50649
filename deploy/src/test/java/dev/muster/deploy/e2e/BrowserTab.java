package dev.muster.deploy.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// One tab of a real Chromium without a window, driven by the DevTools protocol.
final class BrowserTab implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final Process browser;
  private final HttpClient http = HttpClient.newHttpClient();
  private final WebSocket socket;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
  private final Map<String, CompletableFuture<JsonNode>> awaited = new ConcurrentHashMap<>();

  /// What the browser complained of: errors of scripts, refused loads, breaches of the policy.
  private final List<String> complaints = new CopyOnWriteArrayList<>();

  private BrowserTab(Process browser, URI address) {
    this.browser = browser;
    this.socket = http.newWebSocketBuilder().buildAsync(address, new Messages()).join();
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      call(domain + ".enable", JSON.createObjectNode());
    }
  }

  /// Returns the browser of this machine, or a path at which nothing is.
  static Path program() {
    return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(Path.of("missing"));
  }

  /// Starts a browser with a folder of its own.
  static BrowserTab open(Path program, Path folder) throws IOException, InterruptedException {
    Process browser =
        new ProcessBuilder(
                program.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--ignore-certificate-errors",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    Path port = folder.resolve("DevToolsActivePort");
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!Files.exists(port) || Files.readAllLines(port).isEmpty()) {
      if (System.nanoTime() > end) {
        browser.destroyForcibly();
        throw new IOException(
            "The browser did not start: " + Files.readString(folder.resolve("log")));
      }
      Thread.sleep(50);
    }
    URI list =
        URI.create("http://127.0.0.1:%s/json".formatted(Files.readAllLines(port).getFirst()));
    try (HttpClient asking = HttpClient.newHttpClient()) {
      JsonNode tabs =
          JSON.readTree(
              asking.send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString()).body());
      for (JsonNode tab : tabs) {
        if (tab.path("type").asText().equals("page")) {
          return new BrowserTab(browser, URI.create(tab.path("webSocketDebuggerUrl").asText()));
        }
      }
      throw new IOException("The browser has no tab: " + tabs);
    }
  }

  private final class Messages implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        String whole = text.toString();
        text.setLength(0);
        try {
          received(JSON.readTree(whole));
        } catch (IOException malformed) {
          complaints.add(malformed.toString());
        }
      }
      from.request(1);
      return CompletableFuture.completedStage(null);
    }
  }

  private void received(JsonNode message) {
    if (message.has("id")) {
      CompletableFuture<JsonNode> answer = answers.remove(message.path("id").asInt());
      if (answer != null) {
        answer.complete(message);
      }
      return;
    }
    String event = message.path("method").asText();
    JsonNode parameters = message.path("params");
    CompletableFuture<JsonNode> waiting = awaited.remove(event);
    if (waiting != null) {
      waiting.complete(parameters);
    }
    switch (event) {
      case "Runtime.exceptionThrown" -> complaints.add(parameters.toString());
      case "Log.entryAdded" -> {
        if (parameters.at("/entry/level").asText().equals("error")) {
          complaints.add(parameters.at("/entry/text").asText());
        }
      }
      case "Page.javascriptDialogOpening" -> {
        complaints.add("a dialog opened: " + parameters.path("message").asText());
        var _ = send("Page.handleJavaScriptDialog", JSON.createObjectNode().put("accept", true));
      }
      default -> {}
    }
  }

  private CompletableFuture<JsonNode> send(String method, ObjectNode parameters) {
    int id = ids.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    answers.put(id, answer);
    ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
    message.set("params", parameters);
    synchronized (socket) {
      socket.sendText(message.toString(), true).join();
    }
    return answer;
  }

  private JsonNode call(String method, ObjectNode parameters) {
    JsonNode answer =
        send(method, parameters).orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    if (answer.has("error")) {
      throw new IllegalStateException(method + ": " + answer.path("error"));
    }
    return answer.path("result");
  }

  /// Opens an address and waits until it is loaded.
  void open(String address) {
    loading(() -> call("Page.navigate", JSON.createObjectNode().put("url", address)));
  }

  /// Runs a script in each page before its own scripts.
  void beforePages(String script) {
    call("Page.addScriptToEvaluateOnNewDocument", JSON.createObjectNode().put("source", script));
  }

  /// Does what loads another page, and waits until it is loaded.
  void loading(Runnable act) {
    CompletableFuture<JsonNode> loaded = new CompletableFuture<>();
    awaited.put("Page.loadEventFired", loaded);
    act.run();
    loaded.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
  }

  /// Gives the page this width, as a window would.
  void resize(int width, int height) {
    call(
        "Emulation.setDeviceMetricsOverride",
        JSON.createObjectNode()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", false));
  }

  /// Shows the page as on `screen` or in `print`, in `light` or `dark` colours.
  void media(String medium, String colours) {
    ObjectNode parameters = JSON.createObjectNode().put("media", medium);
    parameters
        .putArray("features")
        .addObject()
        .put("name", "prefers-color-scheme")
        .put("value", colours);
    call("Emulation.setEmulatedMedia", parameters);
  }

  /// Returns the value of an expression in the page.
  JsonNode evaluate(String expression) {
    JsonNode result =
        call(
            "Runtime.evaluate",
            JSON.createObjectNode()
                .put("expression", expression)
                .put("returnByValue", true)
                .put("awaitPromise", true));
    if (result.has("exceptionDetails")) {
      throw new IllegalStateException(result.path("exceptionDetails").toString());
    }
    return result.at("/result/value");
  }

  /// Returns the text of the page as a reader sees it.
  String text() {
    return evaluate("document.body.innerText").asText();
  }

  /// Gives a token to the form of Muster's pages.
  void signIn(String token) {
    evaluate("document.getElementById('token').value = '%s'".formatted(token));
    loading(() -> evaluate("document.querySelector('form.token button').click()"));
  }

  /// Presses the tabulator key.
  void tab() {
    for (String type : List.of("keyDown", "keyUp")) {
      call(
          "Input.dispatchKeyEvent",
          JSON.createObjectNode()
              .put("type", type)
              .put("key", "Tab")
              .put("code", "Tab")
              .put("windowsVirtualKeyCode", 9));
    }
  }

  /// Forgets all cookies.
  void forget() {
    call("Network.clearBrowserCookies", JSON.createObjectNode());
  }

  /// Returns a picture of the page in PNG.
  byte[] picture() {
    JsonNode taken = call("Page.captureScreenshot", JSON.createObjectNode().put("format", "png"));
    return Base64.getDecoder().decode(taken.path("data").asText());
  }

  /// Returns what the browser complained of since the last call.
  List<String> complaints() {
    List<String> all = new ArrayList<>(complaints);
    complaints.clear();
    return all;
  }

  @Override
  public void close() {
    socket.abort();
    http.close();
    browser.descendants().forEach(ProcessHandle::destroyForcibly);
    browser.destroyForcibly();
  }
}
