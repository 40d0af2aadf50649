package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The certificates of cert-manager do what those of the script do, and outlive no authority.
class CertManagerFilesTest {
  private static final Pattern SCRIPT_NAMES = Pattern.compile("(?m)^names=\"(.*)\"$");

  private static final List<JsonNode> OBJECTS =
      ShippedFiles.documents("manifests/webhook/cert-manager.yaml");

  private static JsonNode spec(String kind, String name) {
    return OBJECTS.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .filter(object -> object.at("/metadata/name").asText().equals(name))
        .map(object -> object.path("spec"))
        .findFirst()
        .orElseThrow();
  }

  private static Duration time(JsonNode spec, String field) {
    return Duration.parse("PT" + spec.path(field).asText());
  }

  /// cert-manager copies a renewed authority into `ca.crt` of the others only when it renews them.
  /// Go trusts no authority that has expired.
  @ParameterizedTest
  @ValueSource(strings = {"muster-webhook", "muster-client"})
  void no_certificate_outlives_the_authority_beside_it(String name) {
    JsonNode certificate = spec("Certificate", name);
    String issuer = certificate.at("/issuerRef/name").asText();
    JsonNode authority = spec("Certificate", issuer);
    assertThat(spec("Issuer", issuer).at("/ca/secretName")).isEqualTo(authority.path("secretName"));
    assertThat(time(certificate, "duration")).isLessThan(time(authority, "renewBefore"));
    assertThat(time(authority, "renewBefore")).isLessThan(time(authority, "duration"));
  }

  /// Otherwise callers that have the old authority would refuse what the new one signs.
  @Test
  void renewed_authority_keeps_its_key() {
    assertThat(spec("Certificate", "muster-authority").at("/privateKey/rotationPolicy").asText())
        .isEqualTo("Never");
  }

  @Test
  void webhook_has_the_names_that_the_script_gives_it() {
    JsonNode webhook = spec("Certificate", "muster-webhook");
    var names = new ArrayList<String>();
    webhook.path("dnsNames").forEach(name -> names.add("DNS:" + name.asText()));
    webhook.path("ipAddresses").forEach(name -> names.add("IP:" + name.asText()));
    var script = SCRIPT_NAMES.matcher(ShippedFiles.text("webhook-cert.sh"));
    assertThat(script.find()).isTrue();
    String expected =
        Objects.requireNonNull(script.group(1))
            .replace("$service", "muster")
            .replace("$namespace", "muster-system");
    assertThat(names).containsExactly(expected.split(",", -1));
  }

  @ParameterizedTest
  @CsvSource({"muster-webhook,server auth", "muster-client,client auth"})
  void each_certificate_serves_one_side(String name, String usage) {
    assertThat(spec("Certificate", name).path("usages"))
        .extracting(JsonNode::asText)
        .containsExactly("digital signature", usage);
  }

  @Test
  void webhook_trusts_the_authority_of_its_own_certificate() {
    String source =
        ShippedFiles.tree("manifests/webhook/cert-manager-injection.yaml")
            .at("/metadata/annotations/cert-manager.io~1inject-ca-from")
            .asText();
    assertThat(OBJECTS)
        .filteredOn(object -> object.path("kind").asText().equals("Certificate"))
        .filteredOn(object -> object.at("/spec/secretName").asText().equals("muster-webhook-tls"))
        .extracting(object ->
            object.at("/metadata/namespace").asText() + "/" + object.at("/metadata/name").asText())
        .containsExactly(source);
  }
}
