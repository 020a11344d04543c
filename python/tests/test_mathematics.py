"""Canonical JSON, Ed25519 and Merkle trees, by published examples and by trying everything that is small."""

import struct
import unittest
from hashlib import sha256
from typing import Any

from agent_trust_registry import ed25519, merkle
from agent_trust_registry.canonical_json import MalformedJson, canonical, read_json
from agent_trust_registry.forms import is_instant, milliseconds
from agent_trust_registry.money import as_stated, rounded


class CanonicalJson(unittest.TestCase):
    def test_numbers_are_printed_as_in_the_appendix_of_rfc_8785(self) -> None:
        for bits, text in {
            0x0000000000000000: "0",
            0x8000000000000000: "0",
            0x0000000000000001: "5e-324",
            0x8000000000000001: "-5e-324",
            0x7FEFFFFFFFFFFFFF: "1.7976931348623157e+308",
            0x44B52D02C7E14AF5: "9.999999999999997e+22",
            0x44B52D02C7E14AF6: "1e+23",
            0x444B1AE4D6E2EF4E: "999999999999999700000",
            0x444B1AE4D6E2EF50: "1e+21",
            0x3EB0C6F7A0B5ED8C: "9.999999999999997e-7",
            0x3EB0C6F7A0B5ED8D: "0.000001",
            0x41B3DE4355555553: "333333333.3333332",
            0xBECBF647612F3696: "-0.0000033333333333333333",
        }.items():
            self.assertEqual(canonical(struct.unpack(">d", struct.pack(">Q", bits))[0]), text)

    def test_members_are_sorted_by_utf_16_and_strings_escaped_as_in_rfc_8785(self) -> None:
        names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
        order = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
        self.assertEqual(list(read_json(canonical(dict.fromkeys(names, True)))), order)
        self.assertEqual(canonical('\u20ac$\x0f\nA\'B"\\"/\x7f'), '"\u20ac$\\u000f\\nA\'B\\"\\\\\\"/\x7f"')

    def test_what_json_cannot_hold_is_an_error(self) -> None:
        for value in (float("nan"), float("inf"), 2**53, "\udc00", {1: 2}, b"", {"a": {"\ud800": 1}}):
            self.assertRaises(MalformedJson, canonical, value)


# RFC 8032 section 7.1: public key, message, signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


def both_ways(key: bytes, message: bytes, signature: bytes) -> set[bool]:
    """The answers with and without the library. There must be one."""
    in_python = ed25519.is_sound_key(key) and ed25519.verify_in_python(key, message, signature)
    return {in_python, ed25519.verify(key, message, signature)}


class Ed25519(unittest.TestCase):
    def test_the_signatures_of_rfc_8032_are_good_and_every_change_of_them_is_bad(self) -> None:
        for key, message, signature in ([bytes.fromhex(each) for each in test] for test in RFC_8032):
            self.assertEqual(both_ways(key, message, signature), {True})
            self.assertEqual(both_ways(key, message + b"!", signature), {False})
            for byte in range(0, 64, 5):
                bad = signature[:byte] + bytes([signature[byte] ^ 1]) + signature[byte + 1 :]
                self.assertEqual(both_ways(key, message, bad), {False})

    def test_s_that_is_not_reduced_is_bad(self) -> None:
        key, message, signature = (bytes.fromhex(each) for each in RFC_8032[1])
        larger = int.from_bytes(signature[32:], "little") + ed25519.ORDER
        self.assertEqual(both_ways(key, message, signature[:32] + larger.to_bytes(32, "little")), {False})

    def test_keys_of_small_order_and_second_spellings_are_not_sound(self) -> None:
        for y in (*ed25519.SMALL_ORDER, ed25519.P, ed25519.P + 1, 2**255 - 1):
            for sign in (0, 1):
                self.assertFalse(ed25519.is_sound_key((y | sign << 255).to_bytes(32, "little")))
        # Whatever the message, under the neutral point (R = B, S = 1) would verify.
        base = ((4 * pow(5, -1, ed25519.P)) % ed25519.P).to_bytes(32, "little")
        self.assertEqual(both_ways((1).to_bytes(32, "little"), b"any", base + (1).to_bytes(32, "little")), {False})

    def test_bytes_that_are_no_point_verify_nothing(self) -> None:
        self.assertEqual(both_ways((2).to_bytes(32, "little"), b"", bytes(64)), {False})
        self.assertFalse(ed25519.verify(bytes.fromhex(RFC_8032[0][0]), b"", b"short"))


class Merkle(unittest.TestCase):
    # The tree of RFC 6962's own tests: eight entries and the roots of the first so many.
    ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    ROOTS = {
        1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    }

    def test_known_roots(self) -> None:
        leaves = [merkle.leaf_hash(bytes.fromhex(entry)) for entry in self.ENTRIES]
        for size, root in self.ROOTS.items():
            self.assertEqual(merkle.tree_root(leaves[:size]).hex(), root)
        self.assertEqual(merkle.tree_root([]), sha256().digest())

    def test_every_path_of_small_trees_leads_to_the_root_and_nowhere_else(self) -> None:
        leaves = [merkle.leaf_hash(bytes([number])) for number in range(20)]
        for size in range(1, 20):
            root = merkle.tree_root(leaves[:size])
            for index in range(size):
                path = self.path_of(leaves, index, 0, size)
                self.assertEqual(merkle.root_of_leaves([(index, leaves[index])], size, path), root)
                for other in (*range(index), *range(index + 1, size)):
                    self.assertNotEqual(merkle.root_of_leaves([(other, leaves[index])], size, path), root)
                self.assertIsNone(merkle.root_of_leaves([(index, leaves[index])], size, [*path, root]))
                self.assertIsNone(merkle.root_of_leaves([(size, leaves[index])], size, path))

    def test_every_small_tree_continues_the_smaller_ones_by_its_path_alone(self) -> None:
        leaves = [merkle.leaf_hash(bytes([number])) for number in range(20)]
        roots = [merkle.tree_root(leaves[:size]) for size in range(20)]

        def subtree(start: int, end: int) -> bytes:
            return merkle.tree_root(leaves[start:end])

        for newer in range(1, 20):
            self.assertTrue(merkle.is_consistent(0, roots[0], newer, roots[newer], []))
            for older in range(1, newer + 1):
                path = merkle.consistency_path(older, newer, subtree)
                self.assertTrue(merkle.is_consistent(older, roots[older], newer, roots[newer], path))
                self.assertFalse(merkle.is_consistent(older, roots[0], newer, roots[newer], path))
                self.assertFalse(merkle.is_consistent(older, roots[older], newer, roots[0], path))
                self.assertFalse(merkle.is_consistent(older, roots[older], newer, roots[newer], [*path, roots[0]]))
                if path:
                    self.assertFalse(merkle.is_consistent(older, roots[older], newer, roots[newer], path[:-1]))

    def path_of(self, leaves: list[bytes], index: int, start: int, end: int) -> list[bytes]:
        if end - start == 1:
            return []
        middle = start + merkle.split(end - start)
        near, far = ((start, middle), (middle, end)) if index < middle else ((middle, end), (start, middle))
        return [*self.path_of(leaves, index, *near), merkle.tree_root(leaves[slice(*far)])]


class Words(unittest.TestCase):
    def test_instants(self) -> None:
        for text, expected in {
            "1970-01-01T00:00:00Z": 0,
            "2026-10-06T00:00:01.5Z": 1791244801500,
            "2024-02-29T24:00:00.000Z": 1709251200000,
            "0000-01-01T00:00:00Z": -62167219200000,
        }.items():
            self.assertEqual(milliseconds(text), expected)
        bad: list[Any] = ["2025-02-29T00:00:00Z", "2026-01-01T24:00:01Z", "2026-01-01T23:59:60Z", None, 5]
        bad += ["2026-01-01T00:00:00Z\n", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00+00:00", "２026-01-01T00:00:00Z"]
        for value in bad:
            self.assertFalse(is_instant(value))

    def test_money(self) -> None:
        stated = [as_stated(text) for text in ("00720.00", "6.4970", "5", "0.00", "1.23456")]
        self.assertEqual(stated, ["720.00", "6.497", "5.00", None, None])
        cents = [rounded(text) for text in ("140.20951", "9.99999", "1.2345", "0.00401")]
        self.assertEqual(cents, ["140.21", "10.00", None, None])


if __name__ == "__main__":
    unittest.main()
