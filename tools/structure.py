#!/usr/bin/env python3
"""Reports how long files and functions are (design: median function under 10 lines, hardly any over 60,
files under 400). Needs universal-ctags.

    tools/structure.py [--json] [FOLDER...]     default: include src

Exit code 1 when a file of 400 lines or more states no reason: a comment "Long file: why".
"""

import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST_FILE = 400
LONG_FUNCTION = 60


def functions(files):
    command = ["ctags", "--languages=C++", "--kinds-C++=f", "--fields=+ne", "--output-format=json", "-f", "-"]
    out = subprocess.run(command + [str(f) for f in files], check=True, capture_output=True, text=True).stdout
    tags = (json.loads(line) for line in out.splitlines())
    return [{"name": t["name"], "file": str(pathlib.Path(t["path"]).relative_to(ROOT)), "line": t["line"],
             "lines": t["end"] - t["line"] + 1} for t in tags if "end" in t]


def main():
    as_json = "--json" in sys.argv[1:]
    folders = [a for a in sys.argv[1:] if not a.startswith("-")] or ["include", "src"]
    files = sorted(f for d in folders for f in (ROOT / d).rglob("*") if f.suffix in (".h", ".cc", ".cu"))
    found = functions(files)
    lengths = {str(f.relative_to(ROOT)): f.read_text().count("\n") for f in files}
    long_files = [f for f, n in lengths.items() if n >= LONGEST_FILE]
    unexcused = [f for f in long_files if "Long file: " not in (ROOT / f).read_text()]
    report = {
        "files": len(files),
        "lines": sum(lengths.values()),
        "functions": len(found),
        "median_function_lines": statistics.median(f["lines"] for f in found),
        "functions_over_60_lines": sorted((f for f in found if f["lines"] > LONG_FUNCTION), key=lambda f: -f["lines"]),
        "files_of_400_lines": {f: lengths[f] for f in long_files},
        "files_without_a_stated_reason": unexcused,
    }
    if as_json:
        print(json.dumps(report, indent=1))
    else:
        print(f"{report['files']} files, {report['lines']} lines, {report['functions']} functions, "
              f"median {report['median_function_lines']} lines")
        for f in report["functions_over_60_lines"]:
            print(f"  {f['lines']:4} lines  {f['file']}:{f['line']}  {f['name']}")
        for f in long_files:
            print(f"  {lengths[f]:4} lines  {f}" + ("  (no reason stated)" if f in unexcused else ""))
    return 1 if unexcused else 0


if __name__ == "__main__":
    sys.exit(main())
