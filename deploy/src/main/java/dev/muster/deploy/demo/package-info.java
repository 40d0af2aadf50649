/// The whole of Muster on a cluster in memory, for whoever wants to see it before installing
/// anything.
@NullMarked
package dev.muster.deploy.demo;

import org.jspecify.annotations.NullMarked;
