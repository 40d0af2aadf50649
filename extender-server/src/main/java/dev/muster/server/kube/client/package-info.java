/// Calls to the API server: requests, retries, errors, leases, and the names of objects and fields.
@NullMarked
package dev.muster.server.kube.client;

import org.jspecify.annotations.NullMarked;
