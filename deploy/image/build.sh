#!/bin/sh
# Makes the image of Muster for amd64 and arm64 without a container engine and without root: an OCI layout in a folder.
#
#   deploy/image/build.sh OUT VERSION    makes OUT from deploy/target/muster, and prints the digest of the image
#   deploy/image/build.sh --check        only says whether this machine has what the image needs
#   deploy/image/build.sh --update       writes packages.lock anew, with the newest Debian packages
#
# The base has no shell: the libraries that a Java runtime needs, from the Debian packages that packages.lock names by
# version and checksum. jlink makes the runtime from Debian's modules of each platform, so one machine builds both.
# Equal sources, packages and JDK give equal bytes. All times are those of the last commit (SOURCE_DATE_EPOCH).
#
# Needs a JDK 25 (no newer one, because its jlink refuses modules of 25), dpkg-deb, GNU tar and gzip; and apt-get with the archive keys of Debian when a package is not in the
# cache (${MUSTER_CACHE:-$HOME/.cache/muster}/packages). DEBIAN_MIRROR names another mirror than that of this machine.
# Security fixes come from the folder beside it with the suffix -security, or from DEBIAN_SECURITY_MIRROR. A mirror drops
# a locked version soon after a newer one. So run --update before a release, and keep the cache to make an image again.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
deploy=$(dirname "$here")
suite=trixie
architectures='amd64 arm64'
base='libc6 libgcc-s1 libstdc++6 zlib1g'
common='ca-certificates tzdata' # the same package on every platform
jdk=openjdk-25-jdk-headless
# What `jdeps --print-module-deps` says of the class path; the names and the cryptography of TLS; the agent for jcmd.
modules=java.base,java.compiler,java.desktop,java.naming,java.net.http,java.sql,jdk.jfr,jdk.management,jdk.unsupported
modules=$modules,jdk.crypto.ec,jdk.localedata,jdk.naming.dns,jdk.net,jdk.zipfs,jdk.management.agent
cache=${MUSTER_CACHE:-$HOME/.cache/muster}/packages
lock=$here/packages.lock

fail() {
  echo "build.sh: $*" >&2
  exit 1
}

. "$here/layout.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
umask 022

find_mirror() {
  command -v apt-get >/dev/null || fail "apt-get fetches the packages of $lock, and is not installed."
  keys=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -f "$keys" ] || fail "$keys is missing. Maybe install debian-archive-keyring?"
  mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)}
  security=${DEBIAN_SECURITY_MIRROR:-${mirror%/}-security}
  [ -n "$mirror" ] || fail "this machine has no mirror of Debian. Name one: DEBIAN_MIRROR=https://MIRROR/debian."
}

# An apt of its own: another release and other architectures than those of this machine, nothing installed, no root.
prepare_apt() {
  [ ! -f "$work/apt/ready" ] || return 0
  find_mirror
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  : >"$work/apt/status"
  {
    echo "deb [signed-by=$keys] $mirror $suite main"
    echo "deb [signed-by=$keys] $security $suite-security main"
  } >"$work/apt/sources.list"
  cat >"$work/apt/apt.conf" <<EOF
Dir::Etc::sourcelist "$work/apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::Lists "$work/apt/lists";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt/cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "";
Acquire::Languages "none";
EOF
  APT_CONFIG=$work/apt/apt.conf apt-get -qq update >&2 || fail "the lists of Debian $suite cannot be had."
  touch "$work/apt/ready"
}

# fetch PACKAGE:ARCHITECTURE[=VERSION]: prints the file
fetch() {
  prepare_apt
  rm -rf "$work/fetched" && mkdir "$work/fetched"
  (cd "$work/fetched" && APT_CONFIG=$work/apt/apt.conf apt-get -qq download "$1" >&2) ||
    fail "$1 cannot be had. Debian keeps only the newest version: maybe run deploy/image/build.sh --update."
  ls "$work"/fetched/*.deb
}

# keep FILE CHECKSUM: moves it into the cache in one step, though the cache can be another file system
keep() {
  mkdir -p "$cache"
  cp "$1" "$cache/.$2.$$" && mv "$cache/.$2.$$" "$cache/$2.deb" && rm "$1"
}

if [ "${1:-}" = --update ]; then
  add() { # add ARCHITECTURE PACKAGE ASKED
    file=$(fetch "$3") || exit 1
    sum=$(checksum "$file")
    echo "$1 $2 $(dpkg-deb -f "$file" Version) $sum" >>"$work/lock"
    keep "$file" "$sum"
  }
  for package in $common; do add all "$package" "$package"; done
  for architecture in $architectures; do
    for package in $base $jdk; do add "$architecture" "$package" "$package:$architecture"; done
  done
  mv "$work/lock" "$lock"
  exit 0
fi

# use_jdk: points JAVA_HOME at a JDK whose jlink takes the modules of Debian's
use_jdk() {
  MUSTER_JAVA_TOOL=jlink
  . "$deploy/../.mvn/find-jdk.sh"
  [ "$(muster_jdk_feature "$JAVA_HOME")" = 25 ] || fail "the image needs a JDK 25, and $JAVA_HOME is another. Set JAVA_HOME."
}

if [ "${1:-}" = --check ]; then
  (use_jdk) || exit 1
  for tool in dpkg-deb tar gzip; do command -v "$tool" >/dev/null || fail "$tool is not installed."; done
  while read -r _ _ _ sum; do [ -f "$cache/$sum.deb" ] || find_mirror; done <"$lock"
  exit 0
fi

[ $# -eq 2 ] || { sed -n '4,6s/^# *//p' "$0" >&2 && exit 2; }
out=$1 version=$2
[ -f "$deploy/target/muster/lib/muster.jar" ] || fail "deploy/target/muster is missing. Run ./mvnw -DskipTests package first."
[ ! -e "$out" ] || fail "$out exists."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
use_jdk

# package ARCHITECTURE NAME: prints the file of the locked version, whose checksum is verified
package() {
  line=$(awk -v a="$1" -v p="$2" '($1 == a || $1 == "all") && $2 == p' "$lock")
  [ -n "$line" ] || fail "packages.lock has no $2 for $1."
  version_of=$(echo "$line" | cut -d ' ' -f 3) sum=$(echo "$line" | cut -d ' ' -f 4)
  if [ ! -f "$cache/$sum.deb" ] || [ "$(checksum "$cache/$sum.deb")" != "$sum" ]; then
    file=$(fetch "$2:$(echo "$line" | sed "s,^all,amd64,; s, .*,,")=$version_of") || exit 1
    [ "$(checksum "$file")" = "$sum" ] || fail "$2 $version_of for $1 has not the checksum of packages.lock."
    keep "$file" "$sum"
  fi
  echo "$cache/$sum.deb"
}

mkdir -p "$out/blobs/sha256"

# layer NAME: packs the folder $work/NAME; NAME.layer has digest and size, NAME.id the digest of the plain archive
layer() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -C "$work/$1" -cf "$work/$1.tar" .
  checksum "$work/$1.tar" >"$work/$1.id"
  gzip -n -9 <"$work/$1.tar" >"$work/$1.gz"
  rm -rf "${work:?}/$1" "$work/$1.tar"
  blob "$work/$1.gz" >"$work/$1.layer"
}

# Scanners read from here which packages an image has.
record() { # record PACKAGE_FILE FOLDER
  mkdir -p "$2/var/lib/dpkg/status.d"
  dpkg-deb -f "$1" >"$2/var/lib/dpkg/status.d/$(dpkg-deb -f "$1" Package)"
}

make_base() { # make_base ARCHITECTURE
  root=$work/base-$1
  mkdir -p "$root/etc/ssl/certs" "$root/usr/lib" "$root/usr/lib64" "$root/usr/bin" "$root/usr/sbin" "$root/tmp" "$root/home/nonroot"
  for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done
  for name in $base $common; do
    file=$(package "$1" "$name") || exit 1
    dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --exclude='./usr/bin/*' --exclude='./usr/sbin/*' --exclude='*/gconv' \
      --exclude='./usr/share/man' --exclude='./usr/share/doc-base' --exclude='./usr/share/lintian' --exclude='changelog*' \
      --exclude='NEWS*' --exclude='README*' --exclude='./usr/share/gdb' --exclude='./usr/share/gcc'
    record "$file" "$root"
  done
  LC_ALL=C sh -c 'cat "$0"/usr/share/ca-certificates/mozilla/*.crt' "$root" >"$root/etc/ssl/certs/ca-certificates.crt"
  echo 'root:x:0:0:root:/root:/sbin/nologin
nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >"$root/etc/passwd"
  echo 'root:x:0:
nonroot:x:65532:' >"$root/etc/group"
  echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
  echo 'NAME="Debian GNU/Linux"
ID=debian
VERSION_ID="13"
PRETTY_NAME="Muster on Debian 13"' >"$root/etc/os-release"
  chmod 1777 "$root/tmp"
  layer "base-$1"
}

make_runtime() { # make_runtime ARCHITECTURE
  file=$(package "$1" "$jdk") || exit 1
  mkdir "$work/jdk-$1"
  dpkg-deb --fsys-tarfile "$file" | tar -x -C "$work/jdk-$1" --wildcards './usr/lib/jvm/*/jmods/*'
  mkdir -p "$work/runtime-$1/opt"
  "$JAVA_HOME/bin/jlink" --module-path "$(ls -d "$work/jdk-$1"/usr/lib/jvm/*/jmods)" --add-modules "$modules" \
    --no-header-files --no-man-pages --exclude-files='**.debuginfo' --output "$work/runtime-$1/opt/java" >&2
  rm -rf "$work/jdk-$1"
  record "$file" "$work/runtime-$1"
  layer "runtime-$1"
}

mkdir -p "$work/program/opt"
cp -R "$deploy/target/muster" "$work/program/opt/muster"
rm -f "$work/program/opt/muster/built" "$work/program/opt/muster/built.mark" "$work"/program/opt/muster/lib/*.aot "$work"/program/opt/muster/*.aot
chmod -R u=rwX,go=rX "$work/program"
layer program

manifests='' comma=''
for architecture in $architectures; do
  make_base "$architecture"
  make_runtime "$architecture"
  layers='' ids='' separator=''
  for name in "base-$architecture" "runtime-$architecture" program; do
    read -r digest size <"$work/$name.layer"
    layers=$layers$separator$(descriptor application/vnd.oci.image.layer.v1.tar+gzip "$digest" "$size")
    ids="$ids$separator\"sha256:$(cat "$work/$name.id")\""
    separator=,
  done
  cat >"$work/config" <<EOF
{"created":"$created","architecture":"$architecture","os":"linux","config":{"User":"65532:65532",
"ExposedPorts":{"8443/tcp":{},"8888/tcp":{},"8889/tcp":{}},
"Env":["PATH=/opt/java/bin","JAVA_HOME=/opt/java","LC_ALL=C.UTF-8","SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
"Entrypoint":["java","@/opt/muster/lib/java.options","@/opt/muster/lib/serve.options","-jar","/opt/muster/lib/muster.jar"],
"Cmd":["serve","--config","/etc/muster/config/muster.yaml"],"WorkingDir":"/",
"Labels":{"org.opencontainers.image.title":"Muster","org.opencontainers.image.version":"$version",
"org.opencontainers.image.licenses":"Apache-2.0"}},
"rootfs":{"type":"layers","diff_ids":[$ids]},"history":[]}
EOF
  read -r digest size <<EOF
$(blob "$work/config")
EOF
  printf '{"schemaVersion":2,"mediaType":"%s","config":%s,"layers":[%s]}' "$manifest_type" \
    "$(descriptor application/vnd.oci.image.config.v1+json "$digest" "$size")" "$layers" >"$work/manifest"
  read -r digest size <<EOF
$(blob "$work/manifest")
EOF
  manifests=$manifests$comma$(descriptor "$manifest_type" "$digest" "$size" \
    ",\"platform\":{\"architecture\":\"$architecture\",\"os\":\"linux\"}")
  comma=,
done

printf '{"schemaVersion":2,"mediaType":"%s","manifests":[%s]}' "$index_type" "$manifests" >"$work/index"
read -r image image_size <<EOF
$(blob "$work/index")
EOF
entries=$(descriptor "$index_type" "$image" "$image_size" "$(named "$version")")
# The parts list of the distribution is attached to the image. The Debian packages are in /var/lib/dpkg/status.d.
if [ -f "$deploy/target/muster/sbom.json" ]; then
  entries=$entries,$(attached "$deploy/target/muster/sbom.json" application/vnd.cyclonedx+json "$version-sbom")
fi
write_layout "$entries"
echo "$image"
