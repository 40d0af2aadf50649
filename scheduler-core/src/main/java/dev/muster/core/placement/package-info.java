/// Where would it go best? The search over topology domains.
@NullMarked
package dev.muster.core.placement;

import org.jspecify.annotations.NullMarked;
