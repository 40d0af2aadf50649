/// When could it start? Planned starts from the expected ends of running gangs.
@NullMarked
package dev.muster.core.backfill;

import org.jspecify.annotations.NullMarked;
