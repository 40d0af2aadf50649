@NullMarked
package dev.muster.deploy.policy;

import org.jspecify.annotations.NullMarked;
