@NullMarked
package dev.muster.policy;

import org.jspecify.annotations.NullMarked;
