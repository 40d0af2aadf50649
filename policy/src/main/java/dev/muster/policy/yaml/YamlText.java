package dev.muster.policy.yaml;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/// An iterator over the YAML documents of a text, as nodes with marks.
final class YamlText implements Iterator<Node> {

  private static final int MOST_ALIASES = 50;

  private final Composer composer;

  YamlText(String text) {
    LoaderOptions limits = new LoaderOptions();
    limits.setMaxAliasesForCollections(MOST_ALIASES);
    limits.setNestingDepthLimit(YamlReader.DEEPEST);
    limits.setAllowRecursiveKeys(false);
    // Tags construct nothing here; YamlReader reports the place of an unsupported one.
    limits.setTagInspector(tag -> true);
    composer =
        new Composer(new ParserImpl(new StreamReader(text), limits), new PlainScalars(), limits);
  }

  @Override
  public boolean hasNext() {
    return composer.checkNode();
  }

  @Override
  public Node next() {
    if (!hasNext()) {
      throw new NoSuchElementException("The YAML text has no further document.");
    }
    return composer.getNode();
  }
}
