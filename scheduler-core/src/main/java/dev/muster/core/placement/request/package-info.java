/// The input and output of a placement search: requests, constraints, plans and scores.
@NullMarked
package dev.muster.core.placement.request;

import org.jspecify.annotations.NullMarked;
