package dev.muster.server.http.access;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Encrypts the tokens that browsers keep for the web pages. Only this process has the key, so what
/// the browser keeps opens nothing else, and nothing at all after a restart or after [#KEPT].
///
/// *Example:* a cookie of `localhost` goes to each program that listens there. It gets no token.
public final class SealedTokens {
  /// The time for which a sealed token can be opened.
  public static final Duration KEPT = Duration.ofHours(8);

  /// A browser keeps cookies of up to 4,096 bytes.
  public static final int LONGEST = 2_900;

  private static final String ALGORITHM = "AES/GCM/NoPadding";
  private static final int KEY = 32;
  private static final int NONCE = 12;
  private static final int TAG_BITS = 128;

  private final SecureRandom random = new SecureRandom();
  private final SecretKey key;
  private final InstantSource clock;

  public SealedTokens(InstantSource clock) {
    this.clock = clock;
    this.key = new SecretKeySpec(bytes(KEY), "AES");
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /// Returns the token in a form that only this process can read, for a cookie.
  public String seal(String token) {
    byte[] text = token.getBytes(StandardCharsets.UTF_8);
    byte[] open =
        ByteBuffer.allocate(Long.BYTES + text.length)
            .putLong(clock.instant().plus(KEPT).toEpochMilli())
            .put(text)
            .array();
    byte[] nonce = bytes(NONCE);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(open);
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(
              ByteBuffer.allocate(NONCE + sealed.length).put(nonce).put(sealed).array());
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException("Every Java has " + ALGORITHM, impossible);
    }
  }

  /// Returns the token; empty if this process has not sealed it, or too long ago.
  public Optional<String> open(String cookie) {
    try {
      ByteBuffer sealed = ByteBuffer.wrap(Base64.getUrlDecoder().decode(cookie));
      byte[] nonce = new byte[NONCE];
      sealed.get(nonce);
      byte[] rest = new byte[sealed.remaining()];
      sealed.get(rest);
      ByteBuffer open = ByteBuffer.wrap(cipher(Cipher.DECRYPT_MODE, nonce).doFinal(rest));
      Instant end = Instant.ofEpochMilli(open.getLong());
      return clock.instant().isBefore(end)
          ? Optional.of(StandardCharsets.UTF_8.decode(open).toString())
          : Optional.empty();
    } catch (GeneralSecurityException | RuntimeException _) { // anyone can invent a cookie
      return Optional.empty();
    }
  }

  private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(ALGORITHM);
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    return cipher;
  }
}
