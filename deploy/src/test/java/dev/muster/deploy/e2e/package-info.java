/// End-to-end tests against a real Kubernetes control plane; run by `deploy/e2e.sh`.
@NullMarked
package dev.muster.deploy.e2e;

import org.jspecify.annotations.NullMarked;
