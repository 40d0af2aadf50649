@NullMarked
package dev.muster.server.config;

import org.jspecify.annotations.NullMarked;
