#!/bin/sh
# Builds the test control plane and prints the path of the binary (its only line on stdout).
#
#   K8S_VERSION   Kubernetes release to build, for example 1.36.2 (the default is the one go.mod names)
#   MUSTER_CACHE  cache folder, by default $HOME/.cache/muster
#
# The binary is kept under $MUSTER_CACHE/control-plane/<version>-<hash of sources>/; when it is there,
# nothing is built.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
pinned=$(sed -n 's|.*k8s\.io/kubernetes v\([0-9.]*\).*|\1|p' "$here/go.mod" | head -n 1)
version=${K8S_VERSION:-$pinned}
version=${version#v}
case $version in
  1.[0-9]*.[0-9]*) ;;
  *) echo "K8S_VERSION is '$version', which is no Kubernetes release. Maybe you meant $pinned?" >&2; exit 2 ;;
esac
minor=${version#1.}
minor=${minor%%.*}
if [ "$minor" -lt 31 ]; then
  echo "K8S_VERSION is $version, and the node simulator needs Kubernetes 1.31 or newer." >&2
  exit 2
fi
if ! command -v go >/dev/null 2>&1; then
  echo "The test control plane is built with Go and 'go' is not on the PATH. Maybe install Go 1.26 or newer?" >&2
  exit 1
fi

sources=$(cd "$here" && cat ./*.go go.mod go.sum build.sh | sha256sum | cut -c 1-12)
cache=${MUSTER_CACHE:-$HOME/.cache/muster}/control-plane
target=$cache/$version-$sources
binary=$target/control-plane
if [ -x "$binary" ]; then
  echo "$binary"
  exit 0
fi

mkdir -p "$cache"
scratch=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cp "$here"/*.go "$here/go.mod" "$here/go.sum" "$scratch"
cd "$scratch"

# Kubernetes' own go.mod asks for its staging modules at v0.0.0, which only the main module can replace.
require_kubernetes() {
  if ! go mod download -json "k8s.io/kubernetes@v$1" >download.json; then
    sed -n 's/.*"Error": "\(.*\)".*/\1/p' download.json
    echo "Kubernetes $1 cannot be had from the Go module proxy. Maybe there is no such release?"
    exit 1
  fi
  kubernetes_mod=$(sed -n 's/.*"GoMod": "\(.*\)".*/\1/p' download.json)
  {
    echo "module dev.muster/control-plane"
    echo
    sed -n '/^go /p' go.mod
    echo
    echo "require k8s.io/kubernetes v$1"
    echo
    echo "replace ("
    sed -n 's|^[[:space:]]*\(k8s\.io/[a-z-]*\) v0\.0\.0$|\1|p' "$kubernetes_mod" | sort -u |
      sed "s|.*|  & => & v0.${1#1.}|"
    echo ")"
  } >go.mod.new
  mv go.mod.new go.mod
  : >go.sum
  go mod tidy
}

if [ "$version" != "$pinned" ]; then
  echo "Resolving the modules of Kubernetes $version" >&2
  require_kubernetes "$version" >&2
fi
echo "Building the control plane of Kubernetes $version: some minutes the first time" >&2
variables="-X k8s.io/component-base/version.gitVersion=v$version -X k8s.io/component-base/version.gitMajor=1"
variables="$variables -X k8s.io/component-base/version.gitMinor=$minor"
nice go build -trimpath -ldflags "-s -w $variables" -o control-plane . >&2
mkdir -p "$target"
mv control-plane "$binary"
echo "$binary"
