package dev.muster.policy.yaml;

import java.util.regex.Pattern;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/// Resolves unquoted words to numbers, booleans and null as JSON does, not as YAML 1.1 does.
///
/// So `no`, `off`, `1:30` and `0644` stay text, and so do numbers of more than 30 digits.
final class PlainScalars extends Resolver {

  private static final Pattern WHOLE = Pattern.compile("[-+]?(?:0|[1-9][0-9]{0,29})");
  private static final Pattern DECIMAL =
      Pattern.compile("[-+]?(?:0|[1-9][0-9]{0,29})(?:\\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,2})?");

  /// True if `text` is a number, so that an explicit tag may declare it as one.
  static boolean isNumber(String text) {
    return DECIMAL.matcher(text).matches();
  }

  @Override
  protected void addImplicitResolvers() {
    addImplicitResolver(Tag.BOOL, Pattern.compile("true|True|TRUE|false|False|FALSE"), "tTfF");
    addImplicitResolver(Tag.INT, WHOLE, "-+0123456789");
    addImplicitResolver(Tag.FLOAT, DECIMAL, "-+0123456789");
    addImplicitResolver(Tag.NULL, Pattern.compile("~|null|Null|NULL| "), "~nN\0");
    addImplicitResolver(Tag.NULL, EMPTY, null);
  }
}
