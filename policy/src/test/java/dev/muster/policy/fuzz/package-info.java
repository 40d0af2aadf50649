/// Fuzz targets for the files that admins write, and for the journal.
@NullMarked
package dev.muster.policy.fuzz;

import org.jspecify.annotations.NullMarked;
