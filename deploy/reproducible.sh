#!/bin/sh
# Builds the committed sources twice, in folders with different names, and compares all files of the distribution.
# Arguments go to Maven: deploy/reproducible.sh -Dchecks=-Xlint:none compiles without the checks, which is faster.
set -eu
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for copy in first a-second-one-with-a-longer-name; do
  git clone -q . "$place/$copy"
  (cd "$place/$copy" && ./mvnw -q -B -ntp -DskipTests -Dspotless.check.skip=true "$@" package)
  cd "$place/$copy/deploy/target/muster"
  rm built # the time of the build; the launcher reads it in a source tree
  find . -type f | LC_ALL=C sort | xargs sha256sum >"$place/$copy.sums"
  cd - >/dev/null
done
diff "$place"/*.sums
echo "$(wc -l <"$place/first.sums") files are equal."
