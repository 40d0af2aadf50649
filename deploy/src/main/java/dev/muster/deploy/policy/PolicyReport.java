package dev.muster.deploy.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.muster.policy.preemption.load.PolicyChecks.Checked;
import dev.muster.policy.preemption.load.PolicyChecks.Outcome;
import dev.muster.policy.yaml.FileProblem;
import java.io.StringWriter;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/// The results of checked policies for other programs.
///
/// @param policies the valid policies
/// @param problems the problems of the others
/// @param warnings warnings about the valid ones
record PolicyReport(List<Policy> policies, List<FileProblem> problems, List<FileProblem> warnings) {
  /// The version of the JSON form.
  private static final int VERSION = 1;

  /// A format of results.
  enum Format {
    TEXT,
    JSON,
    JUNIT
  }

  /// A valid policy.
  ///
  /// @param place the file or folder
  /// @param checked the results of its tests
  record Policy(String place, Checked checked) {}

  /// Returns the results as JSON: `version`, `policies`, `problems` and `warnings`.
  String json() {
    ObjectNode report = JsonNodeFactory.instance.objectNode().put("version", VERSION);
    ArrayNode valid = report.putArray("policies");
    for (Policy policy : policies) {
      ObjectNode one =
          valid
              .addObject()
              .put("place", policy.place())
              .put("revision", policy.checked().revision());
      ArrayNode tests = one.putArray("tests");
      for (Outcome outcome : policy.checked().outcomes()) {
        ObjectNode test =
            tests
                .addObject()
                .put("name", outcome.name())
                .put("passed", outcome.passed())
                .put("rule", outcome.rule());
        ArrayNode disagreements = test.putArray("disagreements");
        outcome.disagreements().forEach(disagreements::add);
      }
      ArrayNode untested = one.putArray("untested");
      policy.checked().untested().forEach(untested::add);
    }
    list(report.putArray("problems"), problems);
    list(report.putArray("warnings"), warnings);
    return report.toPrettyString();
  }

  private static void list(ArrayNode list, List<FileProblem> problems) {
    for (FileProblem problem : problems) {
      list.addObject()
          .put("file", problem.file())
          .put("line", problem.line())
          .put("column", problem.column())
          .put("field", problem.field())
          .put("message", problem.message());
    }
  }

  /// Returns the results as JUnit XML: a suite for each policy. A file that is not valid is an
  /// error.
  String junit() {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeStartElement("testsuites");
      for (Policy policy : policies) {
        suite(xml, policy);
      }
      for (FileProblem problem : problems) {
        xml.writeStartElement("testsuite");
        head(xml, problem.file(), 1, 0, 1);
        test(xml, problem.file(), "is valid");
        said(xml, "error", problem.render());
        xml.writeEndElement();
        xml.writeEndElement();
      }
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException impossible) {
      throw new AssertionError("XML is written to memory.", impossible);
    }
    return text.toString();
  }

  private static void suite(XMLStreamWriter xml, Policy policy) throws XMLStreamException {
    List<Outcome> outcomes = policy.checked().outcomes();
    int failed = (int) outcomes.stream().filter(outcome -> !outcome.passed()).count();
    xml.writeStartElement("testsuite");
    head(xml, policy.place(), outcomes.size(), failed, 0);
    for (Outcome outcome : outcomes) {
      test(xml, policy.place(), outcome.name());
      if (!outcome.passed()) {
        said(xml, "failure", String.join("\n", outcome.disagreements()));
      }
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static void head(XMLStreamWriter xml, String name, int tests, int failures, int errors)
      throws XMLStreamException {
    xml.writeAttribute("name", legible(name));
    xml.writeAttribute("tests", String.valueOf(tests));
    xml.writeAttribute("failures", String.valueOf(failures));
    xml.writeAttribute("errors", String.valueOf(errors));
  }

  private static void test(XMLStreamWriter xml, String place, String name)
      throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", legible(place));
    xml.writeAttribute("name", legible(name));
  }

  private static void said(XMLStreamWriter xml, String element, String message)
      throws XMLStreamException {
    xml.writeStartElement(element);
    xml.writeAttribute("message", legible(message));
    xml.writeEndElement();
  }

  /// Returns the text without the characters that XML 1.0 forbids.
  private static String legible(String text) {
    return text.replaceAll(
        "[^\\t\\n\\r\\x{20}-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]", "?");
  }
}
