#!/usr/bin/env python3
"""Checks that an answer has the same bits whatever surrounds it.

Each question is asked alone, among 16 of one request, and among them in another order, with 1 and 2
threads, for every instruction set that the machine has. Within one instruction set all numbers must
be spelled alike: shortest round-trip spellings are equal exactly when the bits are. Exit status 0
when they are.
"""

import argparse
import json
import random
import subprocess
import sys

from make_requests import Generator, Writer

NUMBERS = ("logits", "action_logits", "probabilities", "temperature", "act_probability")


def make_requests(states, count, seed, longest):
    """[(state, {id: question})] as JSON text, `count` questions a state."""
    generator = Generator(seed)
    writer = Writer(generator.rng)
    for index in range(states):
        words = longest if index % 2 else 8
        state = writer.value(generator.words(words, words))
        yield state, {f"q{i}": writer.value(generator.question()) for i in range(count)}


def line(state, questions):
    members = ", ".join(f"{json.dumps(name)}: {text}" for name, text in questions)
    return f'{{"state": {state}, "questions": {{{members}}}}}'


def ask(args, isa, threads, lines):
    """The details of every line, or None when the program lacks the instruction set."""
    command = [args.dikast, "decide", "--ndjson", "--reference", "--details", "--quiet"]
    command += ["--model", args.model, "--threads", str(threads), "--isa", isa]
    run = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
    )
    if run.returncode == 2:
        return None
    if run.returncode != 0:
        sys.exit(
            f"{' '.join(command)} ended with {run.returncode}: {run.stderr} {run.stdout[:500]}"
        )
    # Numbers stay as spelled.
    return [json.loads(text, parse_float=str)["x_details"] for text in run.stdout.split("\n")[:-1]]


def flatten(answers):
    """{id: numbers} over lines that ask different questions of one state."""
    return {
        name: [details[key] for key in NUMBERS]
        for answer in answers
        for name, details in answer.items()
    }


def arrangements(state, questions, rng):
    """name -> lines: the ways of asking the same questions."""
    items = list(questions.items())
    shuffled = rng.sample(items, len(items))
    return {
        "alone": [line(state, [item]) for item in items],
        "together": [line(state, items)],
        "reversed": [line(state, items[::-1])],
        "shuffled": [line(state, shuffled)],
        "halves": [line(state, shuffled[::2]), line(state, shuffled[1::2])],
    }


def check_isa(args, isa, requests):
    """(comparisons, differences), or None without this instruction set."""
    rng = random.Random(args.seed)
    compared = different = 0
    for state, questions in requests:
        expected = None
        ways = arrangements(state, questions, rng)
        for threads in args.threads:
            answers = ask(args, isa, threads, [text for lines in ways.values() for text in lines])
            if answers is None:
                return None
            for way, lines in ways.items():
                found = flatten(answers[: len(lines)])
                del answers[: len(lines)]
                expected = expected or found
                for name in questions:
                    compared += 1
                    if found[name] != expected[name]:
                        different += 1
                        print(
                            f"{isa}, {threads} threads, {way}, {name}: {found[name]}, not {expected[name]}"
                        )
    return compared, different


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dikast", required=True, help="the program")
    parser.add_argument("--model", required=True, help="checkpoint folder")
    parser.add_argument("--states", type=int, default=4)
    parser.add_argument("--questions", type=int, default=16, help="questions of a request")
    parser.add_argument("--longest", type=int, default=150, help="words of every second state")
    parser.add_argument("--isas", nargs="+", default=["scalar", "avx2", "avx512"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    requests = list(make_requests(args.states, args.questions, args.seed, args.longest))
    failed = ran = 0
    for isa in args.isas:
        result = check_isa(args, isa, requests)
        if result is None:
            print(f"{isa}: not on this machine, skipped")
            continue
        ran += 1
        failed += result[1]
        print(f"{isa}: {result[0]} answers compared, {result[1]} different")
    sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    main()
