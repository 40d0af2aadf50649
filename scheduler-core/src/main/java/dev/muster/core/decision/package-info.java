/// What was chosen, and why: decisions, explanations and their sentences.
@NullMarked
package dev.muster.core.decision;

import org.jspecify.annotations.NullMarked;
