/// Tests of the live screen.
@NullMarked
package dev.muster.deploy.top;

import org.jspecify.annotations.NullMarked;
