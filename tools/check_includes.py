#!/usr/bin/env python3
"""Checks that the #include lines follow the arrows between the layers, and that no headers form a cycle.

    tools/check_includes.py            prints each broken edge; exit code 1 if there is one
    tools/check_includes.py --graph    prints the edges between folders that exist
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folder -> folders whose headers it may include, besides its own and include/dikast.
ARROWS = {
    "include/dikast": [],
    "src/base": [],
    "src/text": ["src/base"],
    "src/kernels": ["src/base"],
    "src/checkpoint": ["src/base"],
    "src/models": ["src/base", "src/kernels", "src/checkpoint"],
    "src/decision": ["src/base", "src/text"],
    "src/runtime": ["src/base", "src/text", "src/checkpoint", "src/models", "src/decision"],
    "src/server": ["src/base"],
    "src/cli": ["src/base"],
    "bindings": ["src/base"],
    "verify": ["src/base"],
    "bench": ["src/base"],
    "examples": [],
}

# Third party -> the folders that may name it.
THIRD_PARTIES = {
    r"boost/json": ["src/base"],
    r"boost/": ["src/base", "src/server"],
    r"openssl/": ["src/base"],
    r"hwy/": ["src/kernels"],
    r"CLI/": ["src/cli"],
    r"fmt/": ["src/cli", "src/server"],
    r"spdlog/": ["src/base", "src/cli", "src/server"],
    r"tl/": ["include/dikast"],
    r"zlib|zstd": ["src/server"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)


def folder_of(path):
    """The folder of ARROWS that holds a file, or None."""
    name = path.relative_to(ROOT).as_posix()
    return next((folder for folder in ARROWS if name.startswith(folder + "/")), None)


def resolve(name):
    for base in (ROOT / "src", ROOT / "include", ROOT):
        if (base / name).is_file():
            return base / name
    return None


def tested_layer(path):
    """Kernel benchmarks may include the layer that they measure."""
    return {"gemm": "src/kernels", "tokenize": "src/text"}.get(path.stem.split("_")[0]) \
        if folder_of(path) == "bench" else None


def check_file(path, edges, includes):
    folder = folder_of(path)
    faults = []
    for match in INCLUDE.finditer(path.read_text(encoding="utf-8")):
        quoted, angled = match.groups()
        target = resolve(quoted or angled)
        if target is not None:
            includes.setdefault(path, []).append(target)
            to = folder_of(target)
            edges.add((folder, to))
            allowed = [folder, "include/dikast", *ARROWS[folder], tested_layer(path)]
            if to not in allowed:
                faults.append(f"{path.relative_to(ROOT)}: {folder} must not include {to} ({quoted or angled})")
        elif quoted:
            faults.append(f"{path.relative_to(ROOT)}: no such header: {quoted}")
        else:
            party = next((p for p in THIRD_PARTIES if re.match(p, angled)), None)
            if party and folder not in THIRD_PARTIES[party]:
                faults.append(f"{path.relative_to(ROOT)}: {angled} may be named in "
                              f"{', '.join(THIRD_PARTIES[party])} only")
    return faults


def find_cycle(includes):
    state = {}

    def visit(path, trail):
        state[path] = "open"
        for target in includes.get(path, []):
            if state.get(target) == "open":
                return trail + [path, target]
            if target not in state:
                cycle = visit(target, trail + [path])
                if cycle:
                    return cycle
        state[path] = "done"
        return None

    for path in includes:
        if path not in state:
            cycle = visit(path, [])
            if cycle:
                return cycle
    return None


def main():
    files = [f for folder in ARROWS for f in sorted((ROOT / folder).rglob("*")) if f.suffix in (".h", ".cc", ".cu")]
    edges, includes, faults = set(), {}, []
    for path in files:
        faults += check_file(path, edges, includes)
    cycle = find_cycle(includes)
    if cycle:
        faults.append("a cycle: " + " -> ".join(str(p.relative_to(ROOT)) for p in cycle))
    if "--graph" in sys.argv[1:]:
        for source, target in sorted(edges):
            if source != target:
                print(f"{source} -> {target}")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(files)} files, {len(faults)} faults", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
