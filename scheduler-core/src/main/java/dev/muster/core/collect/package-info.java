/// Persistent collections: sorted tables and sets that share structure and list their differences.
@NullMarked
package dev.muster.core.collect;

import org.jspecify.annotations.NullMarked;
