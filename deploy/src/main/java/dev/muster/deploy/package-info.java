@NullMarked
package dev.muster.deploy;

import org.jspecify.annotations.NullMarked;
