/// The server's configuration: one file of kind `MusterConfiguration`, every field optional.
///
/// The contract is `muster-configuration-v1.schema.json` beside this package's classes. It also
/// names the defaults. Start at [dev.muster.policy.config.MusterConfiguration].
@NullMarked
package dev.muster.policy.config;

import org.jspecify.annotations.NullMarked;
