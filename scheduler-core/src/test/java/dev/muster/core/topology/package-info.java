/// What is claimed of topology levels, links and machines, by example and by property.
@NullMarked
package dev.muster.core.topology;

import org.jspecify.annotations.NullMarked;
