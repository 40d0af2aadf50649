/// Reads the YAML files that an admin writes and checks them against a published JSON Schema.
///
/// Files have `apiVersion` and `kind`. Every mistake is reported at once with its line, column and
/// remedy. Start at [dev.muster.policy.file.StrictReader].
@NullMarked
package dev.muster.policy.file;

import org.jspecify.annotations.NullMarked;
