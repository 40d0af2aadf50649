/// Drawn clusters and stories, for tests that read like pictures.
@NullMarked
package dev.muster.core.kit;

import org.jspecify.annotations.NullMarked;
