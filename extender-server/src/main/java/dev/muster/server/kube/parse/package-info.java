/// Reads a bounded part of an object, however large it is.
@NullMarked
package dev.muster.server.kube.parse;

import org.jspecify.annotations.NullMarked;
