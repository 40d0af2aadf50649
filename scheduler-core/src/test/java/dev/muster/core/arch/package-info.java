/// What the core may not do, and the proof that each rule bites.
@NullMarked
package dev.muster.core.arch;

import org.jspecify.annotations.NullMarked;
