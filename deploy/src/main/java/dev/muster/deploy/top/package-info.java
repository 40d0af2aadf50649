/// The live screen of `muster top`.
@NullMarked
package dev.muster.deploy.top;

import org.jspecify.annotations.NullMarked;
