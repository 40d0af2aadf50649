@NullMarked
package dev.muster.deploy.client;

import org.jspecify.annotations.NullMarked;
