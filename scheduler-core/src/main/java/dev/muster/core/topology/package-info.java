/// Where things are: levels, domains, links and machine models.
@NullMarked
package dev.muster.core.topology;

import org.jspecify.annotations.NullMarked;
