/// Usage: how many GPU-hours each queue, namespace, user, project and model had on each day.
@NullMarked
package dev.muster.server.usage;

import org.jspecify.annotations.NullMarked;
