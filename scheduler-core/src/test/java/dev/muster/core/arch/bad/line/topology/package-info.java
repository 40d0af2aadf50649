/// Classes that break the rules on purpose; no other code uses them.
@NullMarked
package dev.muster.core.arch.bad.line.topology;

import org.jspecify.annotations.NullMarked;
