#!/bin/sh
# Makes all files of a release in deploy/target/release/VERSION. It publishes nothing; .github/workflows/release.yaml does.
#
#   deploy/release.sh 0.1.0                                  further arguments go to Maven
#   MUSTER_IMAGE=registry.your.org/muster deploy/release.sh 0.1.0
#
#   muster-VERSION-image.tar          the image for amd64 and arm64, with its parts list, as an OCI layout
#   muster-VERSION.tgz                the chart, which names the image by its digest
#   muster-VERSION.yaml               the manifests for the default scheduler, with the digest too
#   muster-VERSION-second-scheduler.yaml    those for a second scheduler; each contains the CRD and Muster, and ends with
#                                     the NetworkPolicy, in which the admin edits three lines
#   muster-VERSION-program.tar.gz     the program for a machine with a Java runtime 25
#   muster-VERSION-sbom.json          the parts list of the program (not with the option -o of Maven)
#   webhook-cert.sh                   makes the certificates, for the manifests
#   SHA256SUMS                        the checksums of all files
#
# MUSTER_IMAGE is where you will push the image: it goes into chart and manifests. Needs a JDK 25, kubectl, and what
# deploy/image/build.sh needs. Equal commits give equal files, if JDK, gzip and tar are equal too, and the Debian packages
# can still be had. MUSTER_DIRTY=yes allows changes that are not committed.
set -eu

fail() {
  echo "release.sh: $*" >&2
  exit 1
}

deploy=$(cd "$(dirname "$0")" && pwd)
cd "$deploy/.."
version=${1:-}
[ -n "$version" ] || { sed -n '4,5s/^# *//p' "$0" >&2 && exit 2; }
shift
image=${MUSTER_IMAGE:-registry.example.com/muster}
sources=$(sed -n 's|^  <version>\(.*\)</version>$|\1|p' pom.xml | head -n 1)
[ "${sources%-SNAPSHOT}" = "$version" ] || fail "the sources are version $sources. Maybe you meant ${sources%-SNAPSHOT}?"
if [ -n "$(git status --porcelain)" ] && [ "${MUSTER_DIRTY:-}" != yes ]; then
  fail "there are changes that are not committed. MUSTER_DIRTY=yes makes files of them nevertheless."
fi
if [ "$sources" != "$version" ]; then
  ! git tag --points-at HEAD | grep -qx "v$version" || fail "the tag v$version is on sources of version $sources. Set the version first."
  echo "release.sh: this is no release yet: the program calls itself $sources." >&2
fi
command -v kubectl >/dev/null || fail "kubectl is not installed. It builds the manifests."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
"$deploy/image/build.sh" --check
done=$deploy/target/release/$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
umask 022

./mvnw -q -B -ntp -DskipTests -Dspotless.check.skip=true "$@" package
out=$work/$version
mkdir "$out"

# pack FOLDER FILE: the same archive from the same files
pack() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$work" -cf "$work/tar" "$1"
  case $2 in
  *.tar) mv "$work/tar" "$out/$2" ;;
  *) gzip -n -9 <"$work/tar" >"$out/$2" && rm "$work/tar" ;;
  esac
}

digest=$("$deploy/image/build.sh" "$work/image" "$version")
pack image "muster-$version-image.tar"

# The links of the chart become files.
cp -RL "$deploy/chart" "$work/muster"
find "$work/muster" -name kustomization.yaml -delete
sed -i "s|^version: .*|version: $version|; s|^appVersion: .*|appVersion: $version|" "$work/muster/Chart.yaml"
sed -i "s|^  repository: registry.example.com/muster|  repository: $image|" "$work/muster/values.yaml"
grep -q "^  repository: $image" "$work/muster/values.yaml" || fail "values.yaml has no line for the image."
# No value: a tag that the admin sets counts more, and --reuse-values does not keep the old program.
printf 'annotations:\n  muster.dev/image-digest: %s\n' "$digest" >>"$work/muster/Chart.yaml"
pack muster "muster-$version.tgz"

mkdir "$work/deploy"
cp -R "$deploy/manifests" "$deploy/scheduler" "$work/deploy/"
sed -i "s|^    newTag: .*|    newName: $image\n    digest: $digest|" "$work/deploy/manifests/server/kustomization.yaml"
# kubectl removes comments. So the NetworkPolicy, whose comments say what to edit, follows as it is.
sed -i '/^  # Edit network-policy/d; /^  - network-policy$/d' "$work/deploy/manifests/kustomization.yaml"
# one_file FOLDER FILE
one_file() {
  kubectl kustomize "$work/deploy/$1" >"$out/$2"
  { echo --- && cat "$deploy/manifests/network-policy/network-policy.yaml"; } >>"$out/$2"
  [ "$(grep -c '^kind: NetworkPolicy' "$out/$2")" = 1 ] || fail "$2 does not contain one NetworkPolicy."
  grep -q "$image@$digest" "$out/$2" || fail "$2 does not name the digest."
}
one_file manifests "muster-$version.yaml"
one_file scheduler/second-scheduler "muster-$version-second-scheduler.yaml"
cp "$deploy/webhook-cert.sh" "$out/"

mkdir "$work/muster-$version"
cp -R "$deploy/target/muster/." "$work/muster-$version/"
rm -f "$work/muster-$version/built" "$work/muster-$version/built.mark"
chmod -R u=rwX,go=rX "$work/muster-$version"
find "$work/muster-$version" -name '*.aot' -delete
pack "muster-$version" "muster-$version-program.tar.gz"
[ ! -f "$deploy/target/muster/sbom.json" ] || cp "$deploy/target/muster/sbom.json" "$out/muster-$version-sbom.json"

(cd "$out" && sha256sum ./* >"$work/sums" && sed 's|\./||' "$work/sums" >SHA256SUMS)
mkdir -p "$deploy/target/release"
rm -rf "$done"
mv "$out" "$done"
echo "$done: image $digest"
