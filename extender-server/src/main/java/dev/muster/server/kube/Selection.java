package dev.muster.server.kube;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which GPUs a request of a claim takes, where it does not take all of their driver.
///
/// @param accelerator the resource name that the GPUs count as
/// @param ways the alternatives: a GPU is taken that is taken in one of these ways
record Selection(String accelerator, List<Way> ways) {
  private static final int LONGEST = 200;

  /// The expressions that must all hold.
  ///
  /// @param deviceClass the class, as far as it is one that selects; else empty
  /// @param ofClass the expressions of the class
  /// @param own those of the request
  record Way(String deviceClass, List<String> ofClass, List<String> own) {
    Way {
      deviceClass = ofClass.isEmpty() ? "" : deviceClass;
      ofClass = List.copyOf(ofClass);
      own = List.copyOf(own);
    }

    List<String> expressions() {
      return Stream.concat(ofClass.stream(), own.stream()).toList();
    }

    private String words() {
      String named = ofClass.isEmpty() ? "" : " of class " + deviceClass;
      return own.isEmpty() ? named : named + " where " + String.join(" and ", own);
    }
  }

  Selection {
    ways = List.copyOf(ways);
  }

  /// The selection by these ways; empty if one of them takes every GPU.
  static Optional<Selection> of(String accelerator, List<Way> ways) {
    return ways.isEmpty() || ways.stream().anyMatch(way -> way.expressions().isEmpty())
        ? Optional.empty()
        : Optional.of(new Selection(accelerator, ways.stream().distinct().toList()));
  }

  /// The name under which the GPUs are counted as a resource of their own, beside the one of all
  /// GPUs: `nvidia.com/gpu where device.capacity…`. People read it where such GPUs are lacking, and
  /// it comes after the accelerator in order of names: if GPUs are lacking at all, that is said.
  String name() {
    String whole =
        accelerator + ways.stream().map(Way::words).distinct().collect(Collectors.joining(" or"));
    String line = whole.strip().replaceAll("\\s+", " ");
    if (line.equals(whole) && line.length() <= LONGEST) {
      return line;
    }
    UUID mark = UUID.nameUUIDFromBytes(whole.getBytes(StandardCharsets.UTF_8));
    return line.substring(0, Math.min(line.length(), LONGEST)) + "… #" + mark;
  }
}
