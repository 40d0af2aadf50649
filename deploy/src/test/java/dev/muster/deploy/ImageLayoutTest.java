package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The parts list is found from the digest of the image, also in registries without the referrers
/// API. The image is a small stand-in, and the layout is written by the functions of the build.
class ImageLayoutTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PARTS = "{\"bomFormat\":\"CycloneDX\"}";
  private static final String PARTS_TYPE = "application/vnd.cyclonedx+json";
  private static final String SCRIPT =
      """
      set -eu
      . "$1"
      out=$2/layout work=$2/work
      mkdir -p "$out/blobs/sha256" "$work"
      printf '{"schemaVersion":2,"mediaType":"%s","manifests":[]}' "$index_type" >"$work/index"
      read -r image image_size <<EOF
      $(blob "$work/index")
      EOF
      write_layout "$(descriptor "$index_type" "$image" "$image_size" "$(named 1.2.3)"),$(attached "$3" "$4" 1.2.3-sbom)"
      """;

  @TempDir Path machine;
  private Path layout = Path.of("");

  @BeforeEach
  void write_layout() throws IOException, InterruptedException {
    Path parts = Files.writeString(machine.resolve("sbom.json"), PARTS);
    Path script = Files.writeString(machine.resolve("script.sh"), SCRIPT);
    Path functions = ShippedFiles.folder().resolve("image/layout.sh");
    Process shell =
        new ProcessBuilder("sh", "" + script, "" + functions, "" + machine, "" + parts, PARTS_TYPE)
            .inheritIO()
            .start();
    assertThat(shell.waitFor()).isZero();
    layout = machine.resolve("layout");
  }

  @Test
  void tag_of_the_referrers_leads_to_the_parts_list() throws IOException {
    JsonNode image = tagged("1.2.3");
    JsonNode referrers = read(tagged(image.path("digest").asText().replace(':', '-')));

    JsonNode attached = referrers.path("manifests").path(0);
    assertThat(referrers.path("mediaType").asText())
        .isEqualTo("application/vnd.oci.image.index.v1+json");
    assertThat(attached.path("artifactType").asText()).isEqualTo(PARTS_TYPE);
    assertThat(read(read(attached).path("layers").path(0))).isEqualTo(JSON.readTree(PARTS));
  }

  @Test
  void attached_manifest_names_the_image_as_its_subject() throws IOException {
    JsonNode attached = read(tagged("1.2.3-sbom"));

    JsonNode image = tagged("1.2.3");
    assertThat(attached.path("subject").path("digest")).isEqualTo(image.path("digest"));
    assertThat(attached.path("subject").path("size")).isEqualTo(image.path("size"));
    assertThat(attached.path("artifactType").asText()).isEqualTo(PARTS_TYPE);
  }

  private JsonNode tagged(String tag) throws IOException {
    JsonNode index = JSON.readTree(layout.resolve("index.json").toFile());
    return index
        .path("manifests")
        .valueStream()
        .filter(entry ->
            entry
                .path("annotations")
                .path("org.opencontainers.image.ref.name")
                .asText()
                .equals(tag))
        .findFirst()
        .orElseThrow();
  }

  /// Returns the blob of a descriptor, whose digest and size are verified.
  private JsonNode read(JsonNode descriptor) throws IOException {
    String digest = descriptor.path("digest").asText();
    byte[] blob = Files.readAllBytes(layout.resolve("blobs").resolve(digest.replace(':', '/')));
    assertThat(blob).hasSize(descriptor.path("size").asInt());
    assertThat("sha256:" + HexFormat.of().formatHex(sha256(blob))).isEqualTo(digest);
    return JSON.readTree(blob);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
