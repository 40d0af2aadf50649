/// GPUs of Dynamic Resource Allocation: slices, device classes, claims and selections.
@NullMarked
package dev.muster.server.kube.dra;

import org.jspecify.annotations.NullMarked;
