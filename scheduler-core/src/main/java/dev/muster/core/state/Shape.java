package dev.muster.core.state;

import dev.muster.core.gang.Member;
import dev.muster.core.gang.Request;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;

/// A shape is a text that is equal for gangs with equal needs, and for no others.
///
/// Shapes are kept, and owners of pods choose how long their texts are: 2,000 values of node
/// affinity are 65,536 characters. So a long text is replaced by its digest.
final class Shape {
  /// The number of characters from which a text is replaced. Few texts without long lists have as
  /// many.
  static final int LONGEST = 1_024;

  private Shape() {}

  /// Returns runs of members with equal requests, in rank order, and then each request once.
  ///
  /// *Example:* three members with the requests a, a and b are `2x0 1x1 [a, b]`.
  static StringBuilder runs(List<Member> members) {
    LinkedHashMap<Request, Integer> numbers = new LinkedHashMap<>();
    StringBuilder text = new StringBuilder();
    int alike = 0;
    for (int i = 0; i < members.size(); i++) {
      Request request = members.get(i).request();
      alike++;
      if (i + 1 == members.size() || !members.get(i + 1).request().equals(request)) {
        int number = numbers.computeIfAbsent(request, _ -> numbers.size());
        text.append(alike).append('x').append(number).append(' ');
        alike = 0;
      }
    }
    return text.append(numbers.keySet());
  }

  /// Returns the text, or its SHA-256 if it is longer than [#LONGEST]. A digest has no space, so it
  /// never equals a short text.
  static String of(String text) {
    if (text.length() <= LONGEST) {
      return text;
    }
    byte[] bytes = new byte[2 * text.length()];
    for (int i = 0; i < text.length(); i++) {
      bytes[2 * i] = (byte) (text.charAt(i) >> 8);
      bytes[2 * i + 1] = (byte) text.charAt(i);
    }
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
