"""What modifiers make of an amount: by an indicator, a share of a surgical fee, a part of the service, and by the day."""

import unittest
from typing import Any

from agent_trust_registry.adjustment import changes, class_on, is_adjustment

DAY = "2026-11-19"


def row(amount: str = "100.05", modifier: Any = None, basis: str = "medicare_pfs", **indicators: str) -> Any:
    price = {"amount": amount, "currency": "USD", "per": None}
    return {"code": "27447", "basis": basis, "modifier": modifier, "price": price, "indicators": indicators}


def amount(fee: Any, modifier: str, part: Any = None, day: str = DAY) -> Any:
    change = next(changes(fee, modifier, day), None)
    adjustment = change and change.of(fee, part or fee["price"].get("amount"))
    return adjustment and adjustment["amount"]


class Adjustments(unittest.TestCase):
    def test_an_indicator_of_the_row_picks_the_factor(self) -> None:
        self.assertEqual(amount(row(assistant="2"), "80"), "16.01")
        self.assertEqual(amount(row(bilateral="1"), "50"), "150.08")
        self.assertIsNone(amount(row(bilateral="0"), "50"))
        self.assertIsNone(amount(row(), "50"))

    def test_a_part_of_a_surgical_fee_is_the_sum_of_its_shares(self) -> None:
        shares = {"pre": "0.10", "intra": "0.69", "post": "0.21"}
        self.assertEqual([amount(row(**shares), each) for each in ("54", "55", "78")], ["79.04", "21.01", "69.03"])
        self.assertIsNone(amount(row(pre="0.00", intra="0.00", post="0.00"), "54"))
        self.assertIsNone(amount(row(pre="x", intra="0.69"), "54"))

    def test_only_the_technical_part_is_reduced(self) -> None:
        change = next(changes(row(pc_tc="1"), "CT", DAY))
        self.assertEqual(change.part, "TC")
        expected = {"modifier": "CT", "rule": "technical-part/1", "factor": "0.850", "part": "60.00", "amount": "91.05"}
        self.assertEqual(change.of(row(pc_tc="1"), "60.00"), expected)
        self.assertIsNone(change.of(row(pc_tc="1"), None))
        self.assertEqual(amount(row(modifier="TC"), "CT"), "85.04")
        self.assertEqual(amount(row(pc_tc="3"), "CT"), "85.04")
        self.assertIsNone(amount(row(pc_tc="0"), "CT"))
        self.assertEqual(class_on(row(modifier="26"), "CT"), "neutral")

    def test_a_factor_holds_on_its_days_and_bases(self) -> None:
        film = row(modifier="TC")
        self.assertEqual([amount(film, "FY", day=day) for day in ("2022-12-31", "2023-01-01")], ["93.05", "90.05"])
        self.assertIsNone(amount(film, "FY", day="2017-12-31"))
        self.assertEqual(class_on(row(basis="medicare_clfs"), "FY"), "by_report")
        self.assertEqual(class_on(row(basis="medicare_opps"), "PO"), "neutral")

    def test_what_a_body_states_is_compared_with_every_day(self) -> None:
        film = row(modifier="TC")
        stated = {"modifier": "FY", "rule": "technical-part/1", "factor": "0.930", "amount": "93.05"}
        self.assertTrue(is_adjustment(film, stated))
        self.assertFalse(is_adjustment(film, {**stated, "amount": "93.06"}))
        self.assertFalse(is_adjustment(film, {**stated, "part": "1.00"}))
        self.assertFalse(is_adjustment(film, {**stated, "modifier": "XX"}))
        self.assertFalse(is_adjustment(film, None))


if __name__ == "__main__":
    unittest.main()
