/// May it go there? Rules that answer with a typed veto and its remedy.
@NullMarked
package dev.muster.core.fit;

import org.jspecify.annotations.NullMarked;
