#!/bin/bash
# Every comparison with the reference packages, small and true sizes. Takes hours on two cores.
#
#   verify/nightly.sh BUILD WORK TOKENIZERS
#
# BUILD has `dikast` and tests/models/dikast-states; WORK keeps checkpoints, answers and reports;
# TOKENIZERS holds *.tokenizer.json[.gz]. PYTHON names the environment of verify/README.md. Run it
# again after an interruption: what is complete is kept. Exit status 1 when anything disagrees.
set -u -o pipefail
if (($# != 3)) || [[ ! -x $1/dikast || ! -x $1/tests/models/dikast-states ]]; then
  sed -n '4,8s/^# //p' "$0" >&2
  exit 2
fi
build=$(realpath "$1") work=$(realpath -m "$2") tokenizers=$(realpath "$3")
cd "$(dirname "$0")" || exit 2
python=${PYTHON:-python3}
threads=${THREADS:-$(nproc)}
program=$(cat "$build/dikast" "$build/tests/models/dikast-states" | sha256sum | cut -c1-12)
failed=0
mkdir -p "$work/reports"

step() { # step NAME COMMAND...: runs it unless it passed with this program; remembers a failure
  local name=$1 start=$SECONDS
  local passed=$work/reports/$name.passed-$program
  shift
  if [[ -e $passed ]]; then
    echo "ok   $name (before)"
  elif "$@" >"$work/reports/$name.log" 2>&1; then
    echo "ok   $name ($((SECONDS - start)) s)"
    touch "$passed"
  else
    echo "FAIL $name ($((SECONDS - start)) s): see $work/reports/$name.log"
    failed=1
  fi
}

checkpoint() { # checkpoint NAME OPTIONS...: writes $work/NAME unless it is whole
  local name=$1
  shift
  [[ -e $work/$name/complete ]] && return
  "$python" make_checkpoint.py "$work/$name" --tokenizers "$tokenizers" "$@" && touch "$work/$name/complete"
}

requests() { # requests NAME QUESTIONS OPTIONS...
  local name=$1 questions=$2
  shift 2
  "$python" make_requests.py --questions "$questions" "$@" >"$work/$name.ndjson"
}

laya() { # laya NAME [OPTIONS...]: the checkpoint NAME on the request lines NAME.ndjson
  local name=$1
  shift
  step "laya-$name" "$python" compare_laya.py --dikast "$build/dikast" --model "$work/$name" \
    --requests "$work/$name.ndjson" --work "$work/answers-$name" --threads "$threads" \
    --report "$work/reports/$name.json" "$@"
}

states() { # states NAME ISA...
  local name=$1
  shift
  for isa in "$@"; do
    step "states-$name-$isa" "$python" compare_states.py --model "$work/$name" --isa "$isa" \
      --states-program "$build/tests/models/dikast-states" --threads "$threads"
  done
}

isas=$(grep -qw avx512f /proc/cpuinfo && echo "avx2 avx512" || echo avx2)

seed=1
for kind in english multilingual typed-decisions bert; do
  checkpoint "small-$kind" --kind "$kind" --size small
  requests "small-$kind" 310 --seed $((seed++))
  laya "small-$kind"
  states "small-$kind" $isas
  step "bits-small-$kind" "$python" compare_bits.py --dikast "$build/dikast" --model "$work/small-$kind"
done

# The other forms of a checkpoint: spellings, storage types, heads.
checkpoint spelling --kind english --spelling rope_parameters --head-layers 1 --storage f32
checkpoint mixed --kind multilingual --spelling rope_parameters --storage bf16 --head-storage f32
checkpoint headless --kind typed-decisions --head-layers 0
checkpoint affine8 --kind bert --storage affine8 --twin "$work/affine8-expanded"
checkpoint affine4 --kind english --storage affine4 --twin "$work/affine4-expanded"
for name in spelling mixed headless affine8 affine4; do requests "$name" 60 --seed $((seed++)); done
for name in spelling mixed headless; do laya "$name"; done
for name in affine8 affine4; do laya "$name" --official-model "$work/$name-expanded"; done

# True sizes: 60 questions each, and the same bits for 10 questions.
for kind in english multilingual typed-decisions bert; do
  checkpoint "true-$kind" --kind "$kind" --size true
  requests "true-$kind" 60 --malformed 6 --longest 400 --seed $((seed++))
  laya "true-$kind"
  step "bits-true-$kind" "$python" compare_bits.py --dikast "$build/dikast" --model "$work/true-$kind" \
    --states 1 --questions 10 --isas $isas
  # The scalar oracle takes minutes a question at these sizes.
  step "bits-true-$kind-scalar" "$python" compare_bits.py --dikast "$build/dikast" --model "$work/true-$kind" \
    --states 1 --questions 2 --isas scalar
done

# A million random strings a tokenizer; the training pipeline on a few hundred rows.
step tokenizers "$python" tokenizers/compare.py --files "$tokenizers" --count 1000000 \
  --progress "$work/tokenizers-$program.json" \
  --command "$build/dikast tokenize --tokenizer {file} --added-tokens match"
step training-smoke env PATH="$(dirname "$(command -v "$python")"):$PATH" \
  ../training/smoke.sh "$work/training-smoke"

# All default tests under ASan and UBSan, and server and scheduler under ThreadSanitizer.
memory_clean() {
  cmake -S .. --preset asan-ubsan &&
    cmake --build ../build-asan-ubsan &&
    ctest --test-dir ../build-asan-ubsan -LE "nightly|source|install|page" --output-on-failure -j"$(nproc)"
}
step memory-clean memory_clean
threads_clean() {
  cmake -S .. --preset tsan &&
    cmake --build ../build-tsan --target dikast runtime_test server_test server_hostile_test \
      server_protocols_test &&
    ctest --test-dir ../build-tsan -L "runtime|server" --output-on-failure
}
step threads-clean threads_clean

# Protocols: real clients, Schemathesis on the OpenAPI document, answers over HTTP as the program's.
openapi() {
  local pid status
  "$build/dikast" serve --port 0 --any-model --log-level off >"$work/openapi.url" &
  pid=$!
  for _ in {1..100}; do [[ -s $work/openapi.url ]] && break; sleep 0.1; done
  ./openapi_check "$(grep -o 'http://.*' "$work/openapi.url")" 200
  status=$?
  kill "$pid"
  return $status
}
step clients "$python" clients/run "$build/dikast" "$work/clients"
step openapi openapi
step http-bytes "$python" compare_http.py "$build/dikast"

# The server under a long mixed load, and `dikast mcp` as the reference client sees it.
step soak "$python" serve_soak.py --dikast "$build/dikast" --report "$work/reports/soak.json"
mcp() {
  [[ -x $work/mcp-env/bin/python ]] || python3 -m venv "$work/mcp-env" || return
  "$work/mcp-env/bin/pip" install -q mcp==2.3.0 && "$work/mcp-env/bin/python" mcp_client.py "$build/dikast"
}
step mcp mcp

"$python" collect.py "$work/reports" "$program" >"$work/reports/parity.json"

exit $failed
