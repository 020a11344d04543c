"""A bill of ten lines. Each row is fetched again by its permalink, and its proof is followed to the root of its release."""

import base64
import hashlib
import json
import pathlib
import sys
import urllib.request

try:
    import requests

    def fetch(url, body=None):
        answer = requests.post(url, json=body, timeout=30) if body else requests.get(url, timeout=30)
        answer.raise_for_status()
        return answer.json()

except ImportError:

    def fetch(url, body=None):
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


def sha256(data):
    return hashlib.sha256(data).digest()


def leaf_hash(row):
    """The canonical JSON (RFC 8785) of the row, hashed as a leaf (RFC 9162). Rows hold ASCII texts and small integers only."""
    return sha256(b"\x00" + json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())


def root_of(leaf, index, size, path):
    """RFC 9162 section 2.1.3.2: the root that an inclusion path leads to."""
    fn, sn, root = index, size - 1, leaf
    for node in path:
        assert sn > 0, "the path is too long"
        if fn & 1 or fn == sn:
            root = sha256(b"\x01" + node + root)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            root = sha256(b"\x01" + root + node)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0, "the path is too short"
    return root


def is_in_release(base, reference):
    """Whether the row at the permalink has the hash that the answer named, and leads to the root of its release."""
    row = fetch(base + reference["href"])
    proof, pointer = row.pop("proof"), row.pop("row")
    row.pop("prolonged", None)
    shown = proof["releases"][pointer["release"]]
    release, path = shown["release"], shown.get("rows", {}).get("hashes", [])
    leaf = leaf_hash(row)
    root = root_of(leaf, pointer["index"], release["row_count"], [base64.b64decode(node) for node in path])
    return (
        base64.b64encode(leaf).decode() == reference["leaf_hash"]
        and base64.b64encode(root).decode() == release["rows_root"]
        and release["release_id"] == reference["release_id"]
    )


def main():
    base = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8787"
    bill = json.loads((pathlib.Path(__file__).parent / "bill.json").read_text())
    answer = fetch(base + "/reference/batch", {**bill, "proof": "ref"})
    checked = 0
    for line, result in zip(bill["lines"], answer["results"]):
        # A source may also state that there is no price: that is a row too.
        row = result.get("row") or result["problem"].get("row")
        if row:
            assert is_in_release(base, row["proof"]), "a row is not in the release that it names"
            checked += 1
        if result["status"] == 200:
            outcome = result["extended"]["amount"] + " USD"
        else:
            outcome = "no price: " + result["problem"]["code"]
        print(f"{line['cpt']}  billed {line['billed']}  reference {outcome}")
    for total in answer["summary"]["totals"]:
        print(f"total {total['basis']}: {total['low']} of {total['billed']} billed")
    print(f"in their releases: {checked} rows; signatures: see `atr verify`")


main()
