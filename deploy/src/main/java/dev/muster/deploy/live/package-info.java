/// `muster simulate export` and `muster simulate fit`: the bridge between a live cluster and the
/// simulator, which do not depend on each other.
@NullMarked
package dev.muster.deploy.live;

import org.jspecify.annotations.NullMarked;
