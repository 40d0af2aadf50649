/// Admission and order: queues, quotas and the fair-share order of gangs.
@NullMarked
package dev.muster.core.admission;

import org.jspecify.annotations.NullMarked;
