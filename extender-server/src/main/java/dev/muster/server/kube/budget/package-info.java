/// What one object may ask at most, so that no owner can slow the scheduling of others.
@NullMarked
package dev.muster.server.kube.budget;

import org.jspecify.annotations.NullMarked;
