#!/usr/bin/env python3
"""Writes distinct System One requests of mixed length as NDJSON: tickets with one to three questions.

    bench/serve_requests.py --count 2000 --seed 1 > requests.ndjson
"""
import argparse
import json
import random
import sys

QUESTIONS = {
    "department": {
        "type": "choice", "instructions": "Which department should handle this message?",
        "criteria": {"billing": "invoices, payments, refunds", "technical": "bugs, outages, system errors",
                     "sales": "pricing, new contracts", "other": "everything else"}},
    "urgency": {"type": "score", "instructions": "How urgent is this request?",
                "criteria": ["not urgent", "soon", "critical deadline or blocking issue"]},
    "refund": {"type": "noul", "instructions": "Does the customer ask for money back?"},
}
SENTENCES = [
    "We were billed twice for {month}.", "Invoice #{n} does not match the contract.", "The export of report {n} fails.",
    "Please refund the duplicate today or we will cancel our plan.", "Since the update on day {n} nobody can sign in.",
    "Could you send an offer for {n} more seats?", "Thank you, the last fix worked well.", "Our audit is in {n} days.",
    "The button on page {n} does nothing in Firefox.", "A colleague left; please move ticket {n} to me.",
]
MONTHS = ["January", "March", "June", "August", "November"]


def request(number, rng):
    count = rng.choice([1, 1, 2, 2, 3, 4, 6, 10])
    text = " ".join(rng.choice(SENTENCES).format(n=rng.randrange(10_000), month=rng.choice(MONTHS)) for _ in range(count))
    names = rng.sample(list(QUESTIONS), rng.randint(1, 3))
    state = f"Ticket {number}. {text}"
    if rng.random() < 0.3:
        state = {"ticket": number, "body": text, "customer": {"plan": rng.choice(["free", "team"]), "seats": rng.randrange(90)}}
    return {"state": state, "questions": {name: QUESTIONS[name] for name in names}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", help="name it in every request")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    for number in range(arguments.count):
        named = {"model": arguments.model} if arguments.model else {}
        json.dump(named | request(number, rng), sys.stdout)
        print()


if __name__ == "__main__":
    main()
