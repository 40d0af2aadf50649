package dev.muster.server.kube.dra;

import dev.muster.core.decision.PlainText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The GPUs that a request of a claim accepts, if it does not accept all GPUs of their driver.
///
/// @param accelerator resource name as which the GPUs count
/// @param ways alternatives: a GPU is accepted if it matches one of them
/// @param name resource name of the selected GPUs, such as `nvidia.com/gpu where device.capacity…`
record DeviceSelection(String accelerator, List<Way> ways, String name) {
  private static final int LONGEST = 200;

  /// Expressions that must all be true.
  ///
  /// @param deviceClass name of the class, if its own expressions select; else empty
  /// @param ofClass expressions of the class
  /// @param own expressions of the request
  record Way(String deviceClass, List<String> ofClass, List<String> own) {
    Way {
      deviceClass = ofClass.isEmpty() ? "" : deviceClass;
      ofClass = List.copyOf(ofClass);
      own = List.copyOf(own);
    }

    List<String> expressions() {
      return Stream.concat(ofClass.stream(), own.stream()).toList();
    }

    /// True if no expression has the words between expressions, for example in a comment.
    private boolean isPlain() {
      return own.stream()
          .map(each -> " " + each + " ")
          .noneMatch(each -> each.contains(" and ") || each.contains(" or "));
    }

    private String words() {
      String named = ofClass.isEmpty() ? "" : " of class " + deviceClass;
      return own.isEmpty() ? named : named + " where " + String.join(" and ", own);
    }
  }

  DeviceSelection {
    ways = List.copyOf(ways);
  }

  /// Returns the selection of these alternatives; empty if one of them accepts every GPU.
  static Optional<DeviceSelection> of(String accelerator, List<Way> ways) {
    if (ways.isEmpty() || ways.stream().anyMatch(way -> way.expressions().isEmpty())) {
      return Optional.empty();
    }
    List<Way> different = ways.stream().distinct().toList();
    return Optional.of(new DeviceSelection(accelerator, different, name(accelerator, different)));
  }

  /// Returns the name of a selection.
  ///
  /// The GPUs are counted under it in addition to the resource of all GPUs. The name appears in
  /// messages about missing GPUs. It follows the accelerator in name order, so a lack of GPUs in
  /// general is reported first. For 10 KiB of expressions, this takes some tenths of a millisecond.
  ///
  /// Different selections have different names. A mark is added if the text is long, has characters
  /// that are not shown, or can be read in two ways.
  private static String name(String accelerator, List<Way> ways) {
    String whole =
        accelerator + ways.stream().map(Way::words).distinct().collect(Collectors.joining(" or"));
    String line = PlainText.line(whole).strip().replaceAll("\\s+", " ");
    if (line.equals(whole) && line.length() <= LONGEST && ways.stream().allMatch(Way::isPlain)) {
      return line;
    }
    List<List<Integer>> lengths =
        ways.stream().map(way -> way.own.stream().map(String::length).toList()).toList();
    UUID mark = UUID.nameUUIDFromBytes((whole + lengths).getBytes(StandardCharsets.UTF_8));
    return line.substring(0, Math.min(line.length(), LONGEST)) + "… #" + mark;
  }
}
