#!/bin/sh
# Builds a kube-scheduler with the plugin Coscheduling of scheduler-plugins, and prints its path (its only line on
# stdout). go.mod pins both releases. The program is kept under
# ${MUSTER_CACHE:-$HOME/.cache/muster}/coscheduling/<release>-<hash of sources>/; when it is there, nothing is built.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version() { sed -n "s|^[[:space:]]*$1 v\([0-9.]*\)$|\1|p" "$here/go.mod" | head -n 1; }
kubernetes=$(version k8s.io/kubernetes)
module=sigs.k8s.io/scheduler-plugins@v$(version sigs.k8s.io/scheduler-plugins)
checksum=h1:GENSA4rKpCKBrPvNSo2AV2QHU7j3a6LT14kNlHhXfeg=

sources=$(cd "$here" && cat ./*.go go.mod go.sum build.sh | sha256sum | cut -c 1-12)
cache=${MUSTER_CACHE:-$HOME/.cache/muster}/coscheduling
target=$cache/$kubernetes-$sources
if [ -x "$target/coscheduling" ]; then
  echo "$target/coscheduling"
  exit 0
fi
if ! command -v go >/dev/null 2>&1; then
  echo "Coscheduling is built with Go and 'go' is not on the PATH. Maybe install Go 1.26 or newer?" >&2
  exit 1
fi

mkdir -p "$cache"
scratch=$(mktemp -d "$cache/build.XXXXXX")
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch"
if ! go mod download -json "$module" >download.json; then
  sed -n 's/.*"Error": "\(.*\)".*/\1/p' download.json >&2
  exit 1
fi
field() { sed -n "s/.*\"$1\": \"\(.*\)\".*/\1/p" download.json; }
if [ "$(field Sum)" != "$checksum" ]; then
  echo "$module has the checksum $(field Sum), and $here/build.sh says $checksum." >&2
  exit 1
fi

# The pinned plugin is of Kubernetes 1.34. Since then some interfaces of plugins have moved to another package.
# Nothing else differs, so the names of the package are changed in a copy.
source=$(field Dir)
plugin=scheduler-plugins/pkg/coscheduling
mkdir -p scheduler-plugins/pkg
cp -r "$source/go.mod" "$source/apis" scheduler-plugins
cp -r "$source/pkg/coscheduling" "$source/pkg/util" scheduler-plugins/pkg
chmod -R u+w scheduler-plugins
sed -i -e 's/framework\.\([A-Z]\)/fwk.\1/g' -e '/kubernetes\/pkg\/scheduler\/framework"/d' "$plugin/coscheduling.go"
sed -i 's/framework\.\(Handle\|SharedLister\)/fwk.\1/' "$plugin/core/core.go"

cp "$here"/*.go "$here/go.mod" "$here/go.sum" .
echo "Building kube-scheduler $kubernetes with $module: some minutes the first time" >&2
minor=${kubernetes#1.}
variables="-X k8s.io/component-base/version.gitVersion=v$kubernetes -X k8s.io/component-base/version.gitMajor=1"
variables="$variables -X k8s.io/component-base/version.gitMinor=${minor%%.*}"
nice go build -trimpath -ldflags "-s -w $variables" -o coscheduling . >&2
mkdir -p "$target"
mv coscheduling "$target/coscheduling"
echo "$target/coscheduling"
