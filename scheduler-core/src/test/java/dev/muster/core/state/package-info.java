@NullMarked
package dev.muster.core.state;

import org.jspecify.annotations.NullMarked;
