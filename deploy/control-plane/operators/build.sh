#!/bin/sh
# Builds a job controller of the end-to-end tests and prints its folder (its only line on stdout):
#
#   build.sh jobset     one of the names in the file `versions`
#   build.sh            all of them, one line each
#
#   MUSTER_CACHE        cache folder, by default $HOME/.cache/muster
#
# The folder is $MUSTER_CACHE/operators/<name>/<version>-<hash of its line and of this script>/; when it is
# there, nothing is built. It holds the program, and below manifests/ the YAML files of its module: CRDs,
# roles and webhooks. Nothing of a module is copied into this project.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
names=$(sed '/^#/d' "$here/versions" | cut -d ' ' -f 1)
if [ $# -eq 0 ]; then
  for name in $names; do "$0" "$name"; done
  exit 0
fi
name=$1
line=$(grep "^$name " "$here/versions") || {
  echo "There is no controller '$name'. Maybe you meant one of:" $names >&2
  exit 2
}
read -r _ module version package checksum <<FIELDS
$line
FIELDS

hash=$( (echo "$line"; cat "$here/build.sh") | sha256sum | cut -c 1-12)
cache=${MUSTER_CACHE:-$HOME/.cache/muster}/operators/$name
target=$cache/$version-$hash
if [ -x "$target/$name" ]; then
  echo "$target"
  exit 0
fi
if ! command -v go >/dev/null 2>&1; then
  echo "Job controllers are built with Go and 'go' is not on the PATH. Maybe install Go 1.26 or newer?" >&2
  exit 1
fi

mkdir -p "$cache"
scratch=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
cd "$scratch"
if ! go mod download -json "$module@$version" >download.json; then
  sed -n 's/.*"Error": "\(.*\)".*/\1/p' download.json >&2
  exit 1
fi
field() { sed -n "s/.*\"$1\": \"\(.*\)\".*/\1/p" download.json; }
if [ "$(field Sum)" != "$checksum" ]; then
  echo "$module $version has the checksum $(field Sum), and $here/versions says $checksum." >&2
  exit 1
fi

# The module's own go.mod and go.sum choose all libraries, so it is built where it lies.
source=$(field Dir)
echo "Building $name $version: one to four minutes the first time" >&2
mkdir new
(cd "$source" && nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$scratch/new/$name" "$package") >&2
for folder in config manifests; do
  [ ! -d "$source/$folder" ] || cp -r "$source/$folder" new/manifests
done
chmod -R u+w new
rm -rf "$target"
mv new "$target"
echo "$target"
