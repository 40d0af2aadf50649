@NullMarked
package dev.muster.server.http;

import org.jspecify.annotations.NullMarked;
