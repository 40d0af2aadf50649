/// The records of gangs on their objects, as far as they can be true.
@NullMarked
package dev.muster.server.kube.record;

import org.jspecify.annotations.NullMarked;
