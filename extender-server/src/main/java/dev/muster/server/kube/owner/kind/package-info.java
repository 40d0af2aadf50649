/// Kinds of job controllers: how each one states group, size and roles of its pods.
@NullMarked
package dev.muster.server.kube.owner.kind;

import org.jspecify.annotations.NullMarked;
