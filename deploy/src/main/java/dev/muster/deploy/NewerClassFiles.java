package dev.muster.deploy;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Writes the old classes of a library in a newer format. The JVM's AOT cache takes no class file of
 * Java 5, nor the annotations, proxies and lambdas of such types; picocli's are of that format, so
 * that a quarter of the time until a command begins went by with reading and verifying them. What
 * the classes do stays the same: only the frames are added by which they are verified in one pass.
 *
 * <p>The build runs it on the copies in the distribution. A second run changes nothing.
 */
public final class NewerClassFiles {
  /** What the library's licence asks for: that it says so itself. */
  static final String NOTICE = "META-INF/MUSTER-CHANGES";

  private static final int NEWER = ClassFile.JAVA_8_VERSION;

  private NewerClassFiles() {}

  /** Rewrites jar files in place. */
  public static void main(String[] jars) throws IOException {
    for (String jar : jars) {
      rewrite(Path.of(jar));
    }
  }

  static void rewrite(Path jar) throws IOException {
    Path rewritten = Files.createTempFile(jar.toAbsolutePath().getParent(), "newer", ".jar");
    try {
      URL[] classes = {jar.toUri().toURL()};
      try (var library = new URLClassLoader(classes);
          var from = new ZipFile(jar.toFile());
          var to = new ZipOutputStream(Files.newOutputStream(rewritten))) {
        copy(from, to, newer(library));
      }
      Files.move(rewritten, jar, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(rewritten);
    }
  }

  private static ClassFile newer(ClassLoader library) {
    var resolver = ClassHierarchyResolver.ofResourceParsing(library);
    return ClassFile.of(
        StackMapsOption.GENERATE_STACK_MAPS, ClassHierarchyResolverOption.of(resolver));
  }

  private static void copy(ZipFile from, ZipOutputStream to, ClassFile format) throws IOException {
    for (ZipEntry entry : Collections.list(from.entries())) {
      byte[] content = from.getInputStream(entry).readAllBytes();
      boolean isClass = entry.getName().endsWith(".class");
      put(entry.getName(), entry.getTime(), isClass ? newer(content, format) : content, to);
    }
    if (from.getEntry(NOTICE) == null) {
      String notice = "Class files older than Java 8 were written anew in its format.\n";
      put(NOTICE, 0, notice.getBytes(StandardCharsets.UTF_8), to);
    }
  }

  private static void put(String name, long time, byte[] content, ZipOutputStream to)
      throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(time);
    to.putNextEntry(entry);
    to.write(content);
    to.closeEntry();
  }

  private static byte[] newer(byte[] content, ClassFile format) {
    ClassModel old = format.parse(content);
    if (old.majorVersion() >= NEWER) {
      return content;
    }
    return format.transformClass(
        old,
        ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
            .andThen(ClassTransform.endHandler(next -> next.withVersion(NEWER, 0))));
  }
}
