#!/bin/sh
# Builds a tool of the tests and of deploy/release.sh from its Go module, and prints its path:
#
#   build.sh helm        the names are those of the folders here; go.mod pins the version
#
# The binary is kept under ${MUSTER_CACHE:-$HOME/.cache/muster}/NAME/<version>-<hash of sources>/; when it is there,
# nothing is built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=${1:-}
if [ ! -f "$here/$name/go.mod" ]; then
  echo "There is no tool '$name'. Maybe you meant one of:" $(cd "$here" && ls -d -- */ | tr -d /) >&2
  exit 2
fi
package=$(sed -n 's|^tool ||p' "$here/$name/go.mod")
module=${package%/cmd/*}
version=$(sed -n "s|^[[:space:]]*$module \(v[0-9.]*\).*|\1|p" "$here/$name/go.mod" | head -n 1)
case $name in
  helm*) set -- -ldflags "-s -w -X $module/internal/version.version=$version" ;;
  # Without service discovery, which needs the libraries of all clouds.
  promtool) set -- -ldflags '-s -w' -tags remove_all_sd,netgo ;;
esac
sources=$(cd "$here" && cat "$name/go.mod" "$name/go.sum" build.sh | sha256sum | cut -c 1-12)
target=${MUSTER_CACHE:-$HOME/.cache/muster}/$name/$version-$sources
binary=$target/$name
if [ ! -x "$binary" ]; then
  if ! command -v go >/dev/null 2>&1; then
    echo "The tool $name is built with Go and 'go' is not on the PATH. Maybe install Go 1.26 or newer?" >&2
    exit 1
  fi
  echo "Building $name $version: some minutes the first time" >&2
  mkdir -p "$target"
  scratch=$(mktemp "$target/build.XXXXXX")
  trap 'rm -f "$scratch"' EXIT
  (cd "$here/$name" && nice go build -mod=readonly -trimpath "$@" -o "$scratch" "$package") >&2
  mv "$scratch" "$binary"
fi
echo "$binary"
