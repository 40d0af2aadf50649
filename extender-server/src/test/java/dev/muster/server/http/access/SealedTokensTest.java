package dev.muster.server.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/// Only the process that sealed a token opens it, for eight hours.
class SealedTokensTest {
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-27T12:00:00Z"));
  private final SealedTokens tokens = new SealedTokens(now::get);

  @Property(tries = 200)
  void any_token_is_opened_again(
      @ForAll @CharRange(from = '!', to = '~') @StringLength(max = 2_900) String token) {
    SealedTokens sealing = new SealedTokens(InstantSource.system());

    assertThat(sealing.open(sealing.seal(token))).hasValue(token);
  }

  @Property(tries = 200)
  void invented_cookie_is_no_token(@ForAll String cookie) {
    assertThat(new SealedTokens(InstantSource.system()).open(cookie)).isEmpty();
  }

  @Test
  void sealed_token_has_at_most_the_bytes_of_a_cookie() {
    assertThat(tokens.seal("x".repeat(SealedTokens.LONGEST))).hasSizeLessThan(4_000);
  }

  @Test
  void each_changed_character_makes_it_unreadable() {
    String sealed = tokens.seal("token");
    for (int i = 0; i < sealed.length() - 1; i++) {
      char other = sealed.charAt(i) == 'A' ? 'B' : 'A';
      String changed = sealed.substring(0, i) + other + sealed.substring(i + 1);

      assertThat(tokens.open(changed)).as("character %d", i).isEmpty();
    }
  }

  @Test
  void another_process_cannot_open_it() {
    assertThat(new SealedTokens(now::get).open(tokens.seal("token"))).isEmpty();
  }

  @Test
  void it_is_opened_for_eight_hours() {
    String sealed = tokens.seal("token");

    now.set(now.get().plus(SealedTokens.KEPT).minusMillis(1));
    assertThat(tokens.open(sealed)).hasValue("token");
    now.set(now.get().plusMillis(1));
    assertThat(tokens.open(sealed)).isEmpty();
  }
}
