/// Reads the files an admin writes: YAML with `apiVersion` and `kind`, checked against a published
/// JSON Schema, every mistake reported at once with its line, column and remedy.
///
/// Start at [dev.muster.policy.file.StrictReader].
@NullMarked
package dev.muster.policy.file;

import org.jspecify.annotations.NullMarked;
