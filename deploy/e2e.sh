#!/bin/sh
# Runs the end-to-end tests against a real control plane, which is built first if the cache has none.
# Arguments go to Maven, for example: deploy/e2e.sh -De2e=ControlPlaneE2E
# K8S_VERSION chooses the Kubernetes release, see deploy/control-plane/README.md.
set -eu
cd "$(dirname "$0")/.."
deploy/control-plane/build.sh >/dev/null
exec ./mvnw -B -ntp -pl deploy -am -Pe2e -DskipTests verify "$@"
