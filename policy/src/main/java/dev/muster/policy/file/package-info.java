/**
 * Reads the files an admin writes: YAML with {@code apiVersion} and {@code kind}, checked against a
 * published JSON Schema, every mistake reported at once with its line, column and remedy.
 *
 * <p>Start at {@link dev.muster.policy.file.StrictReader}.
 */
@NullMarked
package dev.muster.policy.file;

import org.jspecify.annotations.NullMarked;
