/// Gangs of job controllers: how each kind of owner states group, size and roles of its pods.
@NullMarked
package dev.muster.server.kube.owner;

import org.jspecify.annotations.NullMarked;
