/// Which gangs could leave? The search for the cheapest victims that make room for a gang.
@NullMarked
package dev.muster.core.victims;

import org.jspecify.annotations.NullMarked;
