/// Classes that break the rules on purpose; no other code uses them.
@NullMarked
package dev.muster.core.arch.bad.line.collect;

import org.jspecify.annotations.NullMarked;
