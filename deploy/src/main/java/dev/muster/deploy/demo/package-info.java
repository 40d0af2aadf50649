/// The whole of Muster on a cluster in memory, for a look before an installation.
@NullMarked
package dev.muster.deploy.demo;

import org.jspecify.annotations.NullMarked;
