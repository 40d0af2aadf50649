/// What is asked: gangs, members, requests and constraints as their owners declare them.
@NullMarked
package dev.muster.core.gang;

import org.jspecify.annotations.NullMarked;
