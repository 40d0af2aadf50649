/// Start switches: the native PodGroups by which kube-scheduler lets the pods of a gang start.
@NullMarked
package dev.muster.server.kube.start;

import org.jspecify.annotations.NullMarked;
