#!/bin/sh
# Builds helm from its Go module, for the tests of the chart and for deploy/release.sh, and prints its path. The binary
# is kept under ${MUSTER_CACHE:-$HOME/.cache/muster}/helm/<version>-<hash of sources>/; when it is there, nothing is built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's|.*helm\.sh/helm/v4 \(v[0-9.]*\).*|\1|p' "$here/go.mod" | head -n 1)
sources=$(cd "$here" && cat go.mod go.sum build.sh | sha256sum | cut -c 1-12)
target=${MUSTER_CACHE:-$HOME/.cache/muster}/helm/$version-$sources
binary=$target/helm
if [ ! -x "$binary" ]; then
  if ! command -v go >/dev/null 2>&1; then
    echo "Helm is built with Go and 'go' is not on the PATH. Maybe install Go 1.26 or newer?" >&2
    exit 1
  fi
  echo "Building helm $version: some minutes the first time" >&2
  mkdir -p "$target"
  scratch=$(mktemp "$target/build.XXXXXX")
  trap 'rm -f "$scratch"' EXIT
  (cd "$here" && nice go build -mod=readonly -trimpath \
    -ldflags "-s -w -X helm.sh/helm/v4/internal/version.version=$version" -o "$scratch" helm.sh/helm/v4/cmd/helm) >&2
  mv "$scratch" "$binary"
fi
echo "$binary"
