package dev.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The parts list of the distribution (CycloneDX) is complete, and all licences are allowed. The
/// build runs this when it has laid the distribution out.
class SbomAudit {
  /// Licences under which a part may be distributed with a program of the Apache License 2.0. A
  /// part that offers a choice needs one of them.
  private static final Set<String> ALLOWED =
      Set.of(
          "Apache-2.0",
          "BSD-2-Clause",
          "BSD-3-Clause",
          "EPL-2.0",
          "Eclipse Public License (EPL) 2.0", // as JGraphT writes it
          "Go License", // of RE2/J: the words of BSD-3-Clause
          "ISC",
          "MIT",
          "MPL-2.0"); // of H2's MVStore, whose jar is unchanged

  /// Parts whose licence the parts list gets wrong, with the right one. The POM of JLine calls its
  /// licence "The BSD License", which CycloneDX takes for the one with four clauses. The address
  /// beside that name, and the file of the licence, are of the one with three.
  private static final Map<String, String> CORRECTED = Map.of("jline-terminal", "BSD-3-Clause");

  private static final Path DISTRIBUTION = ShippedFiles.folder().resolve("target/muster");
  private static final Path SBOM = DISTRIBUTION.resolve("sbom.json");

  private List<JsonNode> parts = List.of();

  @BeforeEach
  void read() throws IOException {
    assumeTrue(Files.exists(SBOM), "Maven makes no parts list with -o.");
    parts = new ObjectMapper().readTree(SBOM.toFile()).path("components").valueStream().toList();
  }

  @Test
  void parts_are_the_jars_of_the_distribution() throws IOException {
    try (Stream<Path> files = Files.list(DISTRIBUTION.resolve("lib"))) {
      assertThat(parts)
          .extracting(part -> part.path("name").asText() + "-" + part.path("version").asText())
          .containsExactlyInAnyOrderElementsOf(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> name.endsWith(".jar") && !name.equals("muster.jar"))
                  .map(name -> name.substring(0, name.length() - ".jar".length()))
                  .toList());
    }
  }

  @Test
  void each_part_has_an_allowed_licence() {
    assertThat(parts)
        .filteredOn(part -> licences(part).noneMatch(ALLOWED::contains))
        .extracting(part -> part.path("purl").asText() + " " + part.path("licenses"))
        .isEmpty();
  }

  private static Stream<String> licences(JsonNode part) {
    String corrected = CORRECTED.get(part.path("name").asText());
    if (corrected != null) {
      return Stream.of(corrected);
    }
    return part.path("licenses")
        .valueStream()
        .map(choice -> choice.path("license"))
        .flatMap(licence -> Stream.of(licence.path("id").asText(), licence.path("name").asText()));
  }
}
