/// What is asked: gangs, their members, and what each member needs of a node.
@NullMarked
package dev.muster.core.gang;

import org.jspecify.annotations.NullMarked;
