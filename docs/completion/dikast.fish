# Completion of dikast for fish.
set -l commands decide eval calibrate ask mcp bench tokens tokenize info presets
complete -c dikast -f -n "not __fish_seen_subcommand_from $commands" -a "$commands"
complete -c dikast -l help -d "Print the help"
complete -c dikast -n "not __fish_seen_subcommand_from $commands" -l version -d "Print the version"

function __dikast_presets
    dikast presets --table 2>/dev/null | cut -d' ' -f1
end

set -l asks "__fish_seen_subcommand_from decide ask tokens"
complete -c dikast -n $asks -x -l state -d "The state: text, exactly as typed"
complete -c dikast -n $asks -r -F -l state-file -d "The state: all the bytes of a file"
complete -c dikast -n $asks -l state-json -d "The state is JSON"
complete -c dikast -n $asks -r -F -l questions -d "The questions: JSON, or a file"
complete -c dikast -n $asks -x -l preset -a "(__dikast_presets)" -d "Questions by name"
complete -c dikast -n $asks -l example -d "Answer the preset's own example"
complete -c dikast -n $asks -r -F -l request -d "A file with state and questions"
complete -c dikast -n "__fish_seen_subcommand_from decide eval calibrate ask mcp tokens" -x -l over-length -a "reject truncate window" -d "A state that does not fit"
complete -c dikast -n "__fish_seen_subcommand_from decide eval calibrate tokens" -x -l options -a "fit group refuse" -d "Options that do not fit"
complete -c dikast -n "__fish_seen_subcommand_from decide eval calibrate tokens" -x -l orders -a "1 2 3 4" -d "Cyclic orders of the options"
complete -c dikast -n "__fish_seen_subcommand_from decide eval calibrate tokens" -l reference -d "Do all that the reference implementation does"
complete -c dikast -n $asks -l ndjson -d "One request a line"
complete -c dikast -n "__fish_seen_subcommand_from decide ask bench tokens tokenize" -l quiet -d "No warnings, no progress"

set -l models "__fish_seen_subcommand_from decide eval calibrate mcp tokens info"
complete -c dikast -n $models -x -l model -a "(__fish_complete_directories)" -d "Checkpoint folder"
complete -c dikast -n $models -x -l max-len -d "Most tokens of a sequence"
complete -c dikast -n $models -x -l head-max-len -d "Most tokens of a question with its options"

set -l machine "__fish_seen_subcommand_from decide eval calibrate mcp info"
complete -c dikast -n $machine -x -l threads -d "Threads"
complete -c dikast -n $machine -x -l isa -a "avx512 avx2 scalar" -d "Force an instruction set"

complete -c dikast -n "__fish_seen_subcommand_from decide eval mcp info" -r -F -l calibration -a none -d "Temperatures"

set -l measures "__fish_seen_subcommand_from eval calibrate"
complete -c dikast -n $measures -r -F -l data -d "Rows with known answers"
complete -c dikast -n $measures -l quiet -d "No progress"
complete -c dikast -n "__fish_seen_subcommand_from calibrate" -r -F -l out -d "The file to write"

set -l eval "__fish_seen_subcommand_from eval"
complete -c dikast -n $eval -l json -d "One JSON object"
complete -c dikast -n $eval -x -l svg -a "(__fish_complete_directories)" -d "Folder for the pictures"
complete -c dikast -n $eval -l no-reverse -d "Do not ask with the options in reverse"

set -l forms "__fish_seen_subcommand_from decide ask tokens info presets"
complete -c dikast -n $forms -l json -d "JSON, also on a terminal"
complete -c dikast -n $forms -l table -d "A table, also elsewhere"

set -l decide "__fish_seen_subcommand_from decide"
complete -c dikast -n $decide -x -l format -a "systemone laya" -d "The JSON's form"
complete -c dikast -n $decide -l details -d "Add logits, ids, markers and cuts"

set -l lines "__fish_seen_subcommand_from decide ask"
complete -c dikast -n $lines -r -F -l output -d "Write the lines to a file"
complete -c dikast -n $lines -l resume -d "Go on with an interrupted file"

set -l server "__fish_seen_subcommand_from ask mcp bench"
complete -c dikast -n $server -x -l url -d "The server"
complete -c dikast -n $server -r -F -l key-file -d "A file whose first line is the key"

set -l ask "__fish_seen_subcommand_from ask"
complete -c dikast -n $ask -x -l model -d "The model's name"
complete -c dikast -n $ask -x -l retries -d "Further tries"
complete -c dikast -n $ask -x -l timeout -d "Longest try in seconds"
complete -c dikast -n $ask -x -l total-timeout -d "Longest time for all tries"
complete -c dikast -n $ask -x -l concurrency -d "Lines asked at the same time"

set -l bench "__fish_seen_subcommand_from bench"
complete -c dikast -n $bench -x -a http
complete -c dikast -n $bench -r -F -l out -d "The report, a new file"
complete -c dikast -n $bench -r -F -l requests -d "Requests, one a line"
complete -c dikast -n $bench -x -l note -d "A text for the report"
complete -c dikast -n $bench -x -l consecutive -d "Requests one after the other"
complete -c dikast -n $bench -x -l idle -d "Seconds without a request"
complete -c dikast -n $bench -x -l idle-rounds -d "How often to be idle"
complete -c dikast -n $bench -x -l after-idle -d "Requests after each idle time"
complete -c dikast -n $bench -x -l long-inputs -d "Requests with a long state"
complete -c dikast -n $bench -x -l long-words -d "Words of such a state"
complete -c dikast -n $bench -r -F -l service-log -d "The server's access log"
complete -c dikast -n $bench -x -l concurrency -d "Closed loop of so many connections"
complete -c dikast -n $bench -x -l rate -d "Open loop of so many requests a second"
complete -c dikast -n $bench -x -l duration -d "Seconds of each run"
complete -c dikast -n $bench -x -l warmup -d "Seconds that do not count"
complete -c dikast -n $bench -x -l connections -d "Most connections of an open loop"
complete -c dikast -n $bench -x -l server-pid -d "The server's process"

complete -c dikast -n "__fish_seen_subcommand_from tokenize" -r -F -l tokenizer -d "A tokenizer.json"
complete -c dikast -n "__fish_seen_subcommand_from tokenize" -x -l added-tokens -a "text match" -d "Control tokens spelled in the text"
complete -c dikast -n "__fish_seen_subcommand_from presets" -x -a "(__dikast_presets)"
