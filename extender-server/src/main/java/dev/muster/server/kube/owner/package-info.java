/// Gangs of job controllers: the PodGroups that follow from owners and their pods.
@NullMarked
package dev.muster.server.kube.owner;

import org.jspecify.annotations.NullMarked;
