package dev.muster.policy.yaml;

import dev.muster.policy.yaml.YamlFaults.StrangeTag;
import dev.muster.policy.yaml.YamlFaults.Unsafe;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/// An iterator over the YAML documents of a text, as nodes with marks.
final class YamlText implements Iterator<Node> {

  static final int MOST_ALIASES = 50;

  private final Composer composer;
  private final MarkedParser parser;

  /// Remembers the newest event, because the composer reports broken limits without a place.
  private static final class MarkedParser extends ParserImpl {
    private @Nullable Event newest;

    MarkedParser(StreamReader text, LoaderOptions limits) {
      super(text, limits);
    }

    @Override
    public Event peekEvent() {
      Event next = super.peekEvent();
      newest = next;
      return next;
    }

    @Nullable Mark mark() {
      return newest == null ? null : newest.getStartMark();
    }
  }

  YamlText(String text) {
    LoaderOptions limits = new LoaderOptions();
    limits.setMaxAliasesForCollections(MOST_ALIASES);
    limits.setNestingDepthLimit(YamlReader.DEEPEST);
    limits.setAllowRecursiveKeys(false);
    // Tags construct nothing here; YamlReader reports the place of an unsupported one.
    limits.setTagInspector(tag -> true);
    parser = new MarkedParser(new StreamReader(text), limits);
    composer = new Composer(parser, new PlainScalars(), limits);
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
    try {
      return composer.getNode();
    } catch (MarkedYAMLException | ReaderException placed) {
      throw placed;
    } catch (YAMLException fault) {
      throw new Unsafe(YamlFaults.limit(fault), parser.mark());
    } catch (IllegalArgumentException fault) { // the composer refuses a tag like !%20 this way
      throw new StrangeTag(fault, parser.mark());
    }
  }
}
