# For the cases: `serve ANSWER...` starts stand_in.py and points dikast at it.
serve() {
  python3 "$SOURCE/tests/cli/stand_in.py" port requests "$@" > stand_in.out 2>&1 < /dev/null &
  trap "kill $! 2> /dev/null" EXIT
  tries=0
  while [ ! -e port ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
  DIKAST_URL="http://127.0.0.1:$(cat port)"
  export DIKAST_URL
}
# How many requests came.
count() { grep -c . requests; }
