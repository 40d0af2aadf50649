package dev.muster.policy.preemption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.victims.PreemptionPolicy;
import dev.muster.policy.file.Loaded;
import dev.muster.policy.preemption.load.PolicyLoader;
import dev.muster.policy.yaml.FileProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Plug-ins that do not work are reported.
class PluginsTest {
  private static final byte[] OF_A_NEWER_JAVA = {
    (byte) 0xca, (byte) 0xfe, (byte) 0xba, (byte) 0xbe, 0, 0, 0, (byte) 0xff, 0, 0
  };

  @TempDir private Path folder = Path.of("");

  /// A plug-in that needs a class which is not there.
  private static final class Incomplete implements PreemptionPolicyProvider {
    @Override
    public String name() {
      return "incomplete";
    }

    @Override
    public PreemptionPolicy policy(PreemptionPolicy file, SortedMap<String, String> parameters) {
      throw new NoClassDefFoundError("com/example/Missing");
    }
  }

  @Test
  void class_for_a_newer_java_is_reported_like_a_missing_one() throws IOException {
    try (OutputStream jar = Files.newOutputStream(folder.resolve("newer.jar"));
        ZipOutputStream zip = new ZipOutputStream(jar)) {
      zip.putNextEntry(
          new ZipEntry("META-INF/services/" + PreemptionPolicyProvider.class.getName()));
      zip.write("example.Newer".getBytes(UTF_8));
      zip.putNextEntry(new ZipEntry("example/Newer.class"));
      zip.write(OF_A_NEWER_JAVA);
    }

    assertThatThrownBy(() -> Plugins.in(Optional.of(folder)))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "A policy plug-in cannot be loaded: example/Newer has been compiled")
        .hasMessageEndingWith("The jar may be incomplete, or built for a newer Java.");
  }

  @Test
  void class_missing_at_first_use_is_a_problem_of_the_file() {
    PolicyLoader loader = new PolicyLoader(new Plugins(List.of(new Incomplete())), failure -> {});

    assertThat(loader.load(PolicyYaml.sources("plugin: {name: incomplete}")))
        .isEqualTo(
            new Loaded.Invalid<PreemptionPolicy>(
                List.of(
                    new FileProblem(
                        "p0.yaml",
                        0,
                        0,
                        "plugin",
                        "cannot be used: the class com.example.Missing is missing. The jar may be incomplete, or built for a newer Java."))));
  }
}
