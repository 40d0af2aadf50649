/// The scheduler itself: one pure function. Read [Engine] first.
@NullMarked
package dev.muster.core.engine;

import org.jspecify.annotations.NullMarked;
