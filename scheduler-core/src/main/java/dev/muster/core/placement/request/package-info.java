/// What one search is about: requests, constraints, plans and scores shared by all searches.
@NullMarked
package dev.muster.core.placement.request;

import org.jspecify.annotations.NullMarked;
