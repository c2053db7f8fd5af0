#!/usr/bin/env bash
# The whole pipeline on a few hundred rows and the CPU, under three minutes: prepare, train, calibrate, evaluate, export.
# usage: smoke.sh [OUT]   The encoder is a tiny random BERT, so the figures mean nothing; the steps must succeed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$(mktemp -d)}
cd "$here"
python3 polarity/build.py --check
python3 smoke_encoder.py "$out/encoder"
python3 prepare.py --encoder "$out/encoder" --out "$out/corpus" --limit 400 --processes 2
train() {
  python3 train.py --corpus "$out/corpus" --encoder "$out/encoder" --epochs 1 --cap 4 --budget 8192 --warm-steps 2 \
    --pairs 0.4 --keep-weights --layers 0,2 --bits 4 "$@"
}
train --out "$out/runA" --rotation A --teach
train --out "$out/runB" --rotation B
train --out "$out/runC" --rotation C
train --out "$out/run" --teacher "$out/runA/teacher.npz"
python3 calibrate.py --rotations "$out/runA" "$out/runB" "$out/runC" --final "$out/run" --out "$out/calibration.json"
python3 evaluate.py "$out/run" --calibration "$out/calibration.json"
python3 export.py --weights "$out/run/weights.safetensors" --encoder "$out/encoder" --calibration "$out/calibration.json" \
  --out "$out/model" --form int4
python3 answers.py "$out/model" --out "$out/answers.jsonl" --rows 20
python3 score_folder.py "$out/model" --set polarity --out "$out/polarity.npz"
echo "smoke run passed: $out"
