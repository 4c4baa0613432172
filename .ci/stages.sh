# What .ci/run and .ci/full share: how a stage runs and is told, and the stages that both need. Read by bash with `.`.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export CI=true NO_COLOR=1 NODE_NO_WARNINGS=1 npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
# A connection to the registry that is silent is given up after a minute, and asked again; npm would wait for five.
export npm_config_fetch_timeout=60000 npm_config_fetch_retries=4
# The repository pins its own Node; inside npm scripts it is found the same way.
export PATH="$PWD/node_modules/.bin:$PATH"

reports=$PWD/test-results/ci
rm -rf "$reports"
mkdir -p "$reports"
failed=()
times=()

# Ends a stage: says how it went, and keeps its name when it failed.
ended() {
  local name=$1 limit=$2 code=$3 took=$4
  times+=("$(printf '%5ss  %s' "$took" "$name")")
  if [ "$code" -eq 0 ]; then
    printf '=== %s: done in %ss\n' "$name" "$took"
  else
    [ "$code" -ne 124 ] || printf '%s ran longer than %ss\n' "$name" "$limit"
    printf '=== %s: FAILED (%s) after %ss\n' "$name" "$code" "$took"
    failed+=("$name")
  fi
}

stage() {
  local name=$1 limit=$2 began=$SECONDS code=0
  shift 2
  printf '\n=== %s\n' "$name"
  timeout --foreground --kill-after=10 "$limit" "$@" || code=$?
  ended "$name" "$limit" "$code" "$((SECONDS - began))"
}

# Stages that use one core each and share nothing but what they read: three at a time, so that two cores have work while one of
# them waits for the network or the disk; the next as soon as one has ended. What a stage printed comes whole when it ends.
# `together` waits for the last of them.
declare -A running=()
beside() {
  [ "${#running[@]}" -lt 3 ] || next_ended
  local name=$1 limit=$2 log
  shift 2
  log=$(mktemp "$reports/stage.XXXXXX")
  timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1 &
  running[$!]="$log $limit $SECONDS $name"
}

next_ended() {
  local pid code=0 log limit began name
  wait -n -p pid "${!running[@]}" || code=$?
  read -r log limit began name <<<"${running[$pid]}"
  unset "running[$pid]"
  printf '\n=== %s\n' "$name"
  cat "$log"
  rm -f "$log"
  ended "$name" "$limit" "$code" "$((SECONDS - began))"
}

together() {
  while [ "${#running[@]}" -gt 0 ]; do next_ended; done
}

# Ctrl-C does not reach what runs in the background.
trap '[ "${#running[@]}" -eq 0 ] || kill "${!running[@]}"; exit 130' INT TERM

finish() {
  printf '\nSeconds of each stage:\n'
  printf '%s\n' "${times[@]}"
  if [ "${#failed[@]}" -gt 0 ]; then printf '\nFailed stages: %s\n' "$(IFS=,; echo "${failed[*]}")"; else printf '\nAll stages passed.\n'; fi
  local code=0
  node scripts/ci-summary.mjs "$reports" || code=1
  [ "${#failed[@]}" -eq 0 ] || code=1
  exit "$code"
}

# debian_packages <command or file> <package> …: installs the packages whose command (or file, as a pattern) is missing.
debian_packages() {
  local missing=()
  while [ "$#" -gt 0 ]; do
    command -v "$1" >/dev/null || compgen -G "$1" >/dev/null || missing+=("$2")
    shift 2
  done
  if [ "${#missing[@]}" -eq 0 ]; then echo 'All packages are installed'; return 0; fi
  if [ "$(id -u)" -ne 0 ]; then echo "Not root, so not installed: ${missing[*]}"; return 0; fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}"
}
export -f debian_packages
needed=('/usr/lib/postgresql/*/bin/postgres' postgresql chromium chromium curl curl)

# suite <npm script> <name of its report> <arguments>: tests, counted at the end.
suite() {
  local script=$1 name=$2
  shift 2
  npm run --silent "$script" -- "$@" --reporter=default --reporter=./test/support/reporter.ts \
    --reporter=json --outputFile.json="$reports/$name.json"
}
export -f suite
export reports
