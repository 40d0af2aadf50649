@NullMarked
package dev.muster.policy.file;

import org.jspecify.annotations.NullMarked;
