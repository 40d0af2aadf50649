@NullMarked
package dev.muster.core.admission;

import org.jspecify.annotations.NullMarked;
