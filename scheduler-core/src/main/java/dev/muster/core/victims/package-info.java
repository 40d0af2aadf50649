/// Which gangs could leave? The search for the cheapest victims that free capacity for a gang.
@NullMarked
package dev.muster.core.victims;

import org.jspecify.annotations.NullMarked;
