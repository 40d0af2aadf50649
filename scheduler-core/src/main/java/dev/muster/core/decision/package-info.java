/// Decisions about gangs and the reasons for them.
@NullMarked
package dev.muster.core.decision;

import org.jspecify.annotations.NullMarked;
