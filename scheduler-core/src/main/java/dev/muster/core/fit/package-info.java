/// May it go there? Rules, and the typed refusals that also say what would change their mind.
@NullMarked
package dev.muster.core.fit;

import org.jspecify.annotations.NullMarked;
