@NullMarked
package dev.muster.policy.config;

import org.jspecify.annotations.NullMarked;
