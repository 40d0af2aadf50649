package dev.muster.server.http;

import dev.muster.server.http.access.SealedTokens;
import dev.muster.server.http.receive.BodyReader;
import dev.muster.server.http.receive.Intake;
import dev.muster.server.http.receive.ReceivedBody;
import dev.muster.server.http.screen.Frame;
import dev.muster.server.http.screen.Screens;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The tokens of callers who use a browser. A form takes a token, and a cookie keeps it encrypted.
///
/// The cookie counts for the screens only, not for the API. No other site can cause a request with
/// it, and no script can read it.
///
/// @param tokens encrypts tokens
/// @param intake limits of request bodies
record BrowserTokens(SealedTokens tokens, Intake intake) {
  private static final String COOKIE = "muster-token";
  private static final String PATH = "/session";
  private static final long MOST = 16 << 10;
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final Pattern LOCAL =
      Pattern.compile("[\\w.~%?&=+!'()*,;:@-][\\w.~%?&=+!'()*,;:@/-]{0,2000}");

  /// What a request shows of its caller.
  ///
  /// @param authorization the token in the form of the header
  /// @param fromBrowser true if the browser has kept the token
  /// @param remedy what to say to a caller without a token
  record Shown(Optional<String> authorization, boolean fromBrowser, String remedy) {}

  /// Returns the token of the request: that of the header, or else that of the browser.
  Shown shown(RoutingContext ctx) {
    Optional<String> header = CallerReview.authorization(ctx);
    Optional<Cookie> cookie = Optional.ofNullable(ctx.request().getCookie(COOKIE));
    Optional<String> kept = cookie.flatMap(each -> tokens.open(each.getValue()));
    return new Shown(
        header.or(() -> kept.map("Bearer "::concat)),
        header.isEmpty() && kept.isPresent(),
        cookie.isEmpty()
            ? "Muster shows what Kubernetes lets you list, so it needs a token of the cluster."
            : "Muster has restarted, or eight hours have passed. Give a token again.");
  }

  /// Returns the path of the request below the first screen, with its parameters.
  static String returnPath(RoutingContext ctx) {
    String uri = ctx.request().uri();
    return uri.startsWith("/") ? local(uri.substring(1)) : "";
  }

  /// Returns the path if it leads to Muster itself, else that of the first screen.
  private static String local(String path) {
    boolean stays = LOCAL.matcher(path).matches() && !path.contains("//") && !path.contains("..");
    return stays ? path : "";
  }

  void addTo(Router router) {
    for (String path : new String[] {PATH, PATH + "/end"}) {
      router
          .post(path)
          .handler(ctx -> {
            ctx.put(Routes.ENDPOINT, "session");
            ScreenRoutes.guard(ctx);
            Optional<String> problem = problem(ctx);
            if (problem.isPresent()) {
              HttpAnswer.refusal(400, problem.get()).send(ctx);
            } else {
              ctx.next();
            }
          })
          .handler(new BodyReader(MOST, intake, path.equals(PATH) ? this::begin : this::end));
    }
  }

  /// Returns the problem if the browser says that another site has sent the form, or if it is none.
  private static Optional<String> problem(RoutingContext ctx) {
    String site = ctx.request().getHeader("Sec-Fetch-Site");
    String type = String.valueOf(ctx.request().getHeader(HttpHeaders.CONTENT_TYPE));
    if (site != null && !site.equals("same-origin")) {
      return Optional.of("Another site has sent the form. Give the token on a page of Muster.");
    }
    return type.toLowerCase(Locale.ROOT).startsWith(FORM)
        ? Optional.empty()
        : Optional.of("The header Content-Type must be %s.".formatted(FORM));
  }

  private void begin(RoutingContext ctx, ReceivedBody body) {
    Map<String, String> fields = fields(new String(body.take(), StandardCharsets.UTF_8));
    String token = fields.getOrDefault("token", "").strip().replaceFirst("(?i)^bearer\\s+", "");
    String to = local(fields.getOrDefault("to", ""));
    if (token.isEmpty() || token.length() > SealedTokens.LONGEST) {
      String problem =
          token.isEmpty()
              ? "The form has no token."
              : "The token is too long for a cookie: at most %d characters. A token of kubectl create token is shorter."
                  .formatted(SealedTokens.LONGEST);
      String html = Screens.login(new Frame("Token", PATH, false), problem, to);
      HttpAnswer.text(HttpAnswer.HTML, html).withStatus(400).as("refused").send(ctx);
      return;
    }
    keep(ctx, tokens.seal(token), SealedTokens.KEPT.toSeconds());
    redirect(ctx, "./" + to);
  }

  private void end(RoutingContext ctx, ReceivedBody body) {
    forget(ctx);
    redirect(ctx, "../");
  }

  /// Lets the browser forget its token with the answer to this request.
  void forget(RoutingContext ctx) {
    if (ctx.request().getCookie(COOKIE) != null) {
      keep(ctx, "", 0);
    }
  }

  private static void keep(RoutingContext ctx, String value, long seconds) {
    Cookie cookie =
        Cookie.cookie(COOKIE, value)
            .setPath("/")
            .setHttpOnly(true)
            .setSameSite(CookieSameSite.STRICT)
            .setSecure(ctx.request().isSSL())
            .setMaxAge(seconds);
    ctx.response().putHeader(HttpHeaders.SET_COOKIE, cookie.encode());
  }

  /// Redirects with a relative address, which is right behind a proxy, too.
  private static void redirect(RoutingContext ctx, String address) {
    ctx.response().putHeader(HttpHeaders.LOCATION, address);
    HttpAnswer.text("text/plain; charset=utf-8", "See " + address + "\n").withStatus(303).send(ctx);
  }

  private static Map<String, String> fields(String form) {
    Map<String, String> fields = new HashMap<>();
    for (String part : form.split("&", -1)) {
      int equal = part.indexOf('=');
      if (equal > 0) {
        fields.put(decoded(part.substring(0, equal)), decoded(part.substring(equal + 1)));
      }
    }
    return fields;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) { // a broken escape
      return "";
    }
  }
}
