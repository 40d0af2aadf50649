#!/bin/sh
# Builds a program of the test control plane and prints its path (its only line on stdout):
#
#   build.sh                    etcd and all components of one Kubernetes release
#   build.sh legacy-scheduler   a kube-scheduler that still takes a Policy file
#
#   K8S_VERSION         release of the control plane, for example 1.36.2 (the default is the one go.mod names)
#   LEGACY_K8S_VERSION  release of the old kube-scheduler, likewise
#   MUSTER_CACHE        cache folder, by default $HOME/.cache/muster
#
# The binary is kept under $MUSTER_CACHE/<program>/<version>-<hash of sources>/; when it is there,
# nothing is built.
set -eu

program=${1:-control-plane}
here=$(cd "$(dirname "$0")" && pwd)
case $program in
  control-plane) folder=$here asked=${K8S_VERSION:-} variable=K8S_VERSION ;;
  legacy-scheduler) folder=$here/$program asked=${LEGACY_K8S_VERSION:-} variable=LEGACY_K8S_VERSION ;;
  *) echo "There is no program '$program'. Maybe you meant control-plane or legacy-scheduler?" >&2; exit 2 ;;
esac
pinned=$(sed -n 's|.*k8s\.io/kubernetes v\([0-9.]*\).*|\1|p' "$folder/go.mod" | head -n 1)
version=${asked:-$pinned}
version=${version#v}
case $version in
  1.[0-9]*.[0-9]*) ;;
  *) echo "$variable is '$version', which is no Kubernetes release. Maybe you meant $pinned?" >&2; exit 2 ;;
esac
minor=${version#1.}
minor=${minor%%.*}
case $program in
  control-plane)
    if [ "$minor" -lt 31 ]; then
      echo "K8S_VERSION is $version, and the node simulator needs Kubernetes 1.31 or newer." >&2
      exit 2
    fi ;;
  legacy-scheduler)
    if [ "$minor" -gt 22 ]; then
      echo "LEGACY_K8S_VERSION is $version, and kube-scheduler takes a Policy file up to 1.22." >&2
      exit 2
    fi ;;
esac
if ! command -v go >/dev/null 2>&1; then
  echo "The test control plane is built with Go and 'go' is not on the PATH. Maybe install Go 1.26 or newer?" >&2
  exit 1
fi

sources=$(cd "$folder" && cat ./*.go go.mod go.sum "$here/build.sh" | sha256sum | cut -c 1-12)
cache=${MUSTER_CACHE:-$HOME/.cache/muster}/$program
target=$cache/$version-$sources
binary=$target/$program
if [ -x "$binary" ]; then
  echo "$binary"
  exit 0
fi

mkdir -p "$cache"
scratch=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cp "$folder"/*.go "$folder/go.mod" "$folder/go.sum" "$scratch"
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
    echo "module dev.muster/$program"
    echo
    sed -n '/^go /p' go.mod
    echo
    echo "require k8s.io/kubernetes v$1"
    grep 'for Go' go.mod | sed 's/^[[:space:]]*/require /'
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
echo "Building $program of Kubernetes $version: some minutes the first time" >&2
variables="-X k8s.io/component-base/version.gitVersion=v$version -X k8s.io/component-base/version.gitMajor=1"
variables="$variables -X k8s.io/component-base/version.gitMinor=$minor"
nice go build -trimpath -ldflags "-s -w $variables" -o "$program" . >&2
mkdir -p "$target"
mv "$program" "$binary"
echo "$binary"
