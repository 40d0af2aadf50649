/**
 * The server's configuration: one file of kind {@code MusterConfiguration}, every field optional.
 *
 * <p>The contract is {@code muster-configuration-v1.schema.json} beside this package's classes,
 * which also names the defaults. Start at {@link dev.muster.policy.config.MusterConfiguration}.
 */
@NullMarked
package dev.muster.policy.config;

import org.jspecify.annotations.NullMarked;
