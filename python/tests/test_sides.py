"""Whose bill it is: kind, revenue code and place of service of a question, and what contradicts them."""

import unittest
from typing import Any

from agent_trust_registry.question import Question, read_question
from agent_trust_registry.verdict import Failure


def asked(**parts: str) -> Question:
    return read_question({"cpt": "99284", "as_of": "2026-11-19", **parts})


class Sides(unittest.TestCase):
    def test_the_side_follows_from_the_kind_then_the_revenue_code_then_the_place_of_service(self) -> None:
        known: Any = [
            (dict(kind="surgery_center", revenue_code="0450", place_of_service="11"), "surgery_center", "kind"),
            (dict(revenue_code="450", place_of_service="11"), "hospital", "revenue_code"),
            (dict(revenue_code="0981"), "professional", "revenue_code"),
            (dict(revenue_code="981"), "professional", "revenue_code"),
            (dict(place_of_service="23"), "professional", "place_of_service"),
        ]
        for parts, kind, why in known:
            side = asked(**parts).side
            self.assertEqual(side and side.told, {"kind": kind, "why": why}, parts)
        self.assertIsNone(asked(kind="").side)

    def test_a_professional_is_paid_by_where_the_service_was(self) -> None:
        self.assertEqual(asked(place_of_service="23").setting, "facility")
        self.assertEqual(asked(place_of_service="11").setting, "non_facility")
        self.assertEqual(asked(revenue_code="0960").setting, "facility")
        self.assertEqual(asked(kind="professional", revenue_code="0450", place_of_service="11").setting, "non_facility")
        self.assertEqual(asked(kind="professional", revenue_code="0450").setting, "facility")
        self.assertEqual(asked(revenue_code="0981", place_of_service="11").setting, "facility")
        self.assertIsNone(asked(kind="professional").setting)

    def test_the_side_chooses_the_schedules(self) -> None:
        self.assertEqual(asked(kind="hospital").charts, ["cms-opps", "cms-clfs"])
        self.assertEqual(asked(kind="hospital", cpt="DRG-470").charts, ["cms-ipps"])
        self.assertEqual(asked(kind="surgery_center").charts, ["cms-asc", "cms-clfs"])
        self.assertEqual(asked(kind="equipment", cpt="E0601").charts, ["cms-dmepos"])
        self.assertEqual(asked(place_of_service="11").charts[0], "cms-pfs")

    def test_a_setting_or_a_basis_of_another_side_has_no_meaning(self) -> None:
        contradictions: Any = [
            dict(kind="hospital", setting="asc"),
            dict(kind="hospital", basis="medicare_pfs"),
            dict(place_of_service="23", setting="non_facility"),
            dict(kind="doctor"),
            dict(revenue_code="45"),
            dict(revenue_code="٤٥٠"),
            dict(place_of_service="00"),
        ]
        for parts in contradictions:
            with self.subTest(parts), self.assertRaises(Failure):
                asked(**parts)
        self.assertEqual(asked(kind="hospital", basis="medicare_clfs").charts, ["cms-clfs"])
        self.assertEqual(asked(kind="professional", setting="facility").setting, "facility")


if __name__ == "__main__":
    unittest.main()
