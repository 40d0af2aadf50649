/// How fast the brain is, and how much it holds: `CoreBench` runs all of it.
@NullMarked
package dev.muster.core.bench;

import org.jspecify.annotations.NullMarked;
