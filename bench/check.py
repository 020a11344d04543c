"""How long a check of one answer takes in Python: reads answers from standard input, prints milliseconds."""

import json
import statistics
import sys
import time

from agent_trust_registry import verify

given = json.load(sys.stdin)
rounds = []
for _ in range(3):
    began = time.perf_counter()
    for answer in given["answers"]:
        verdict = verify(answer["text"], given["policy"], {"question": answer["question"]})
        if not verdict.ok:
            sys.exit(f"an answer does not verify: {verdict.cls}")
    rounds.append((time.perf_counter() - began) / len(given["answers"]))
print(statistics.median(rounds) * 1000)
