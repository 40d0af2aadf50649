package dev.muster.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class NewerClassFilesTest {
  private static final int JAVA_8 = 52;

  @TempDir Path folder;
  private Path jar;

  @BeforeEach
  void rewritePicocli() throws IOException, URISyntaxException {
    jar = Files.copy(shipped(), folder.resolve("picocli.jar"));
    NewerClassFiles.rewrite(jar);
  }

  private static Path shipped() throws URISyntaxException {
    return Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  void noClassIsOfAnOldFormat() throws IOException {
    try (var zip = new ZipFile(jar.toFile())) {
      for (ZipEntry each : classes(zip)) {
        assertTrue(zip.getInputStream(each).readAllBytes()[7] >= JAVA_8, each::getName);
      }
    }
  }

  @Test
  void theJvmVerifiesEachClass() throws Exception {
    URL[] path = {jar.toUri().toURL()};
    try (var library = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
        var zip = new ZipFile(jar.toFile())) {
      for (ZipEntry each : classes(zip)) {
        String name = each.getName().replace(".class", "").replace('/', '.');
        Class<?> loaded = Class.forName(name, false, library);
        MethodHandles.privateLookupIn(loaded, MethodHandles.lookup()).ensureInitialized(loaded);
      }
    }
  }

  @Test
  void theJarSaysThatItWasChanged() throws IOException {
    try (var zip = new ZipFile(jar.toFile())) {
      assertNotNull(zip.getEntry(NewerClassFiles.NOTICE));
    }
  }

  @Test
  void aSecondRunChangesNothing() throws IOException {
    byte[] once = Files.readAllBytes(jar);

    NewerClassFiles.rewrite(jar);

    assertEquals(-1, Arrays.mismatch(once, Files.readAllBytes(jar)));
  }

  private static List<? extends ZipEntry> classes(ZipFile zip) {
    return Collections.list(zip.entries()).stream()
        .filter(each -> each.getName().matches("picocli/.*\\.class"))
        .toList();
  }
}
