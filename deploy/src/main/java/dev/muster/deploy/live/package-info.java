/// `muster simulate export` and `muster simulate fit`: what lies between a live cluster and the
/// simulator, which do not know each other.
@NullMarked
package dev.muster.deploy.live;

import org.jspecify.annotations.NullMarked;
