#!/usr/bin/env bash
# A bill of ten lines with curl and jq. ATR names the command that verifies; without it: npx atr.
set -euo pipefail
base=${1:-http://127.0.0.1:8787}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Pin the keys of the logs. In earnest, do this once, and compare them with what others see.
curl -sSf "$base/log/policy" > "$work/policy"
curl -sSf -H 'Content-Type: application/json' --data @"$here/bill.json" "$base/reference/batch" > "$work/answer.json"

jq -r --slurpfile bill "$here/bill.json" '
  (.results | to_entries[] | $bill[0].lines[.key] as $line
   | "\($line.cpt)  billed \($line.billed)  reference " +
     (if .value.status == 200 then "\(.value.extended.amount) USD" else "no price: \(.value.problem.code)" end)),
  (.summary.totals[] | "total \(.basis): \(.low) of \(.billed) billed")' "$work/answer.json"
# The question is part of the check: each line must answer the line that was sent.
${ATR:-npx atr} verify "$work/answer.json" --lines "$here/bill.json" --policy "$work/policy"
