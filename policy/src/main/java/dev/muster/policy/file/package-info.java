/// Files that admins write: YAML with `apiVersion` and `kind`, checked against a published JSON
/// Schema. Every mistake is reported at once with line, column and remedy.
///
/// Start at [StrictReader].
@NullMarked
package dev.muster.policy.file;

import org.jspecify.annotations.NullMarked;
