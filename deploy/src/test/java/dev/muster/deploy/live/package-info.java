@NullMarked
package dev.muster.deploy.live;

import org.jspecify.annotations.NullMarked;
