# Sourced by ./mvnw and ./muster: points JAVA_HOME at a JDK 25 or newer, wherever the machine keeps it,
# or stops with one sentence. With MUSTER_JAVA_TOOL=java a runtime without compiler will do. The version is read from the `release` file each JDK carries, so no JVM is started.

muster_jdk_feature() { # prints the feature version of the JDK at $1, or nothing when there is none
  [ -x "$1/bin/${MUSTER_JAVA_TOOL:-javac}" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

muster_find_jdk() {
  on_path=$(command -v "${MUSTER_JAVA_TOOL:-javac}" 2>/dev/null) && on_path=$(readlink -f "$on_path" 2>/dev/null) &&
    on_path=${on_path%/bin/*}
  for home in "${JAVA_HOME:-}" "${on_path:-}" "${JDK25_HOME:-}" "${JAVA_HOME_25_X64:-}" "${JAVA_HOME_25_ARM64:-}" \
    /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/* \
    "${HOME:-}"/.asdf/installs/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    feature=$(muster_jdk_feature "$home")
    if [ -n "$feature" ] && [ "$feature" -ge 25 ]; then
      JAVA_HOME=$home
      export JAVA_HOME
      return 0
    fi
  done
  echo "Muster needs a JDK 25 or newer and found none: install one (for example the package temurin-25-jdk) or set JAVA_HOME to it." >&2
  return 1
}

muster_find_jdk || exit 1
