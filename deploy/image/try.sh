#!/bin/sh
# Starts the image of an OCI layout under an OCI runtime, as root, to see that it runs:
#
#   deploy/image/try.sh LAYOUT --help                       the platform of this machine
#   deploy/image/try.sh --platform arm64 LAYOUT --help      another one: needs an emulator registered in the kernel
#
# The container has the user, environment and entry point of the image, a read-only root as in the cluster, and the
# network of this machine. MUSTER_RUNTIME names the runtime (runc), MOUNT a folder that appears as /etc/muster.
set -eu
architecture=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
if [ "${1:-}" = --platform ]; then architecture=$2 && shift 2; fi
[ $# -ge 2 ] || { sed -n '4,5s/^# *//p' "$0" >&2 && exit 2; }
layout=$1
shift
bundle=$(mktemp -d)
trap 'rm -rf "$bundle"' EXIT
trap 'exit 1' HUP INT TERM

# file DIGEST: prints the file of a blob, whose checksum is verified
file() {
  echo "${1#sha256:}  $layout/blobs/sha256/${1#sha256:}" | sha256sum -c --quiet >&2
  echo "$layout/blobs/sha256/${1#sha256:}"
}
index=$(file "$(grep -o '"digest":"[^"]*"' "$layout/index.json" | head -n 1 | cut -d '"' -f 4)")
manifest=$(file "$(tr '{' '\n' <"$index" | grep -B 1 "\"architecture\":\"$architecture\"" | grep -o 'sha256:[0-9a-f]*')")
set -- "$@" -- $(grep -o '"digest":"[^"]*"' "$manifest" | cut -d '"' -f 4)
arguments=''
while [ "$1" != -- ]; do arguments="$arguments,\"$1\"" && shift; done
shift
config=$(file "$1")
shift
mkdir "$bundle/rootfs"
for layer in "$@"; do tar -xzf "$(file "$layer")" -C "$bundle/rootfs"; done

# field NAME: prints the list after a name in the configuration of the image, without its brackets
field() { tr -d '\n' <"$config" | grep -o "\"$1\":\[[^]]*\]" | sed 's/^[^[]*\[//; s/\]$//'; }
touch "$bundle/rootfs/etc/resolv.conf"
mount=",{\"destination\":\"/etc/resolv.conf\",\"type\":\"bind\",\"source\":\"/etc/resolv.conf\",\"options\":[\"bind\",\"ro\"]}"
if [ -n "${MOUNT:-}" ]; then
  mkdir -p "$bundle/rootfs/etc/muster"
  mount="$mount,{\"destination\":\"/etc/muster\",\"type\":\"bind\",\"source\":\"$MOUNT\",\"options\":[\"rbind\",\"ro\"]}"
fi
cat >"$bundle/config.json" <<EOF
{"ociVersion":"1.0.2","root":{"path":"rootfs","readonly":true},
"process":{"user":{"uid":65532,"gid":65532},"cwd":"/","noNewPrivileges":true,"capabilities":{},
"env":[$(field Env)${JDK_JAVA_OPTIONS:+,\"JDK_JAVA_OPTIONS=$JDK_JAVA_OPTIONS\"}],"args":[$(field Entrypoint)$arguments]},
"mounts":[{"destination":"/proc","type":"proc","source":"proc"},
{"destination":"/tmp","type":"tmpfs","source":"tmpfs","options":["nosuid","nodev","mode=1777"]},
{"destination":"/dev","type":"tmpfs","source":"tmpfs","options":["nosuid","mode=755"]}$mount],
"linux":{"namespaces":[{"type":"pid"},{"type":"ipc"},{"type":"mount"},{"type":"uts"}]}}
EOF
"${MUSTER_RUNTIME:-runc}" run --bundle "$bundle" "muster-try-$$"
