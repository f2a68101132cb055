# Shared by the commands beside it: builds the project when it must, and runs a main class of it.
# To be sourced by bash.

home=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
root=$(dirname "$home")

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

stamp="$home/target/built"

is_stale() {
  local classpath="$home/target/classpath/flink.txt"
  [ -e "$stamp" ] && [ -s "$classpath" ] || return 0
  # The jars outside of this project may be gone, as when a Maven repository was cleared.
  [ -e "$(cut -d: -f1 "$classpath")" ] || return 0
  [ -n "$(find "$root/pom.xml" "$root"/*/pom.xml "$root"/*/src/main -newer "$stamp" -type f -print -quit)" ]
}

build_if_stale() {
  command -v java >/dev/null || fail "needs a JDK 17 or newer on the PATH"
  is_stale || return 0
  command -v mvn >/dev/null || fail "needs Maven on the PATH to build the project"
  echo "Building the project with Maven; the first time it downloads Flink and Kafka" >&2
  rm -f "$stamp"
  (cd "$root" && mvn -B -q package -pl flink-jobs -am -DskipTests -Dspotless.check.skip >&2) ||
    fail "the build failed"
  touch "$stamp"
}

# run_java CLASS ARGUMENT...
run_java() {
  local main=$1 jar
  shift
  jar=$(compgen -G "$home/target/flink-jobs-*.jar" | grep -v -e '-job\.jar$' -e '-tests\.jar$' | head -n 1)
  export CLASSPATH="$jar:$(cat "$home/target/classpath/runtime.txt"):$(cat "$home/target/classpath/provided.txt")"
  # shellcheck disable=SC2086 # JAVA_OPTS holds several options
  exec java -Xmx512m ${JAVA_OPTS-} -Dkorpse.home="$home" "$main" "$@"
}
