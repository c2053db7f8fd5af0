# Completion of dikast for bash.
_dikast() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local request="--state --state-file --state-json --questions --preset --example --request"
  local served="--over-length --options --orders" reading="--over-length --options --orders --reference"
  local model="--model --max-len --head-max-len"
  local machine="--calibration --threads --isa"
  local form="--json --table"
  local serve="--host --port --keys --allow-remote-without-keys --allowed-host --redirect-from
    --replicas --alias --any-model --log-level --log-file --header-bytes --body-bytes
    --decoded-bytes --held-bytes --max-depth --max-values --max-string-bytes --max-questions
    --max-options --max-states
    --batch-tokens --queue-requests --queue-tokens --longest-wait-ms --deadline-ms
    --connections --idle-ms --read-ms --write-ms --drain-ms --key-rate --key-burst
    --key-in-flight"
  local server="--url --key-file"
  COMPREPLY=()
  case $previous in
    --over-length) COMPREPLY=($(compgen -W "reject truncate window" -- "$current")); return ;;
    --options) COMPREPLY=($(compgen -W "fit group refuse" -- "$current")); return ;;
    --format) COMPREPLY=($(compgen -W "systemone laya" -- "$current")); return ;;
    --isa) COMPREPLY=($(compgen -W "avx512 avx2 scalar" -- "$current")); return ;;
    --added-tokens) COMPREPLY=($(compgen -W "text match" -- "$current")); return ;;
    --preset) COMPREPLY=($(compgen -W "$(_dikast_presets)" -- "$current")); return ;;
    --model) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --calibration | --data) COMPREPLY=($(compgen -f -- "$current")); return ;;
    --log-level) COMPREPLY=($(compgen -W "debug info warn error off" -- "$current")); return ;;
    --orders) COMPREPLY=($(compgen -W "1 2 3 4" -- "$current")); return ;;
    --svg) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --state-file | --questions | --request | --output | --tokenizer | --key-file | --keys | --config | --log-file | --out | --requests | --service-log)
      COMPREPLY=($(compgen -f -- "$current")); return ;;
    --state | --threads | --max-len | --head-max-len | --url | --rate | --concurrency) return ;;
  esac
  local words="decide eval calibrate serve ask mcp bench tokens tokenize info presets --help --version"
  case ${COMP_WORDS[1]} in
    decide) words="$request $reading $model $machine $form --format --details --ndjson --output --resume --quiet --help" ;;
    eval) words="--data $reading $model $machine --json --svg --no-reverse --quiet --help" ;;
    calibrate) words="--data --out $reading $model ${machine#--calibration } --quiet --help" ;;
    serve) words="$served $model $machine $serve --config --help" ;;
    ask) words="$request --over-length $server --model --retries --timeout --total-timeout $form --ndjson --concurrency --output --resume --quiet --help" ;;
    mcp) words="$server --over-length $model $machine --help" ;;
    bench) words="http $server --out --requests --note --consecutive --idle --idle-rounds --after-idle --long-inputs --long-words --service-log --concurrency --rate --impatient --duration --warmup --connections --server-pid --quiet --help" ;;
    tokens) words="$request $reading $model $form --ndjson --quiet --help" ;;
    tokenize) words="--tokenizer --added-tokens --quiet --help" ;;
    info) words="$model $machine $form --help" ;;
    presets) words="$(_dikast_presets) $form --help" ;;
  esac
  [[ $COMP_CWORD -eq 1 ]] && words="decide eval calibrate serve ask mcp bench tokens tokenize info presets --help --version"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

_dikast_presets() {
  dikast presets --table 2>/dev/null | cut -d' ' -f1
}

complete -F _dikast dikast
