package io.korpse.flink.source.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A jar with a class that the class path of the tests does not have, as in a user's job jar. */
public final class UserJar {

  private UserJar() {}

  /** Compiles one class of the unnamed package and puts it into a jar. */
  public static Path of(Path directory, String className, String source) throws IOException {
    Path file = Files.writeString(directory.resolve(className + ".java"), source);
    Path classes = Files.createDirectories(directory.resolve("classes"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none", "-d", classes.toString()),
                  null,
                  files.getJavaFileObjects(file))
              .call();
      if (!done) {
        throw new IllegalStateException("The class does not compile:\n" + source);
      }
    }
    Path jar = directory.resolve("user.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> compiled = Files.list(classes)) {
      for (Path each : compiled.sorted().toList()) {
        out.putNextEntry(new JarEntry(each.getFileName().toString()));
        Files.copy(each, out);
        out.closeEntry();
      }
    }
    return jar;
  }
}
