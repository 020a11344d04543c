"""What a caller of the client sees, against a service that follows a script."""

import asyncio
import contextlib
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from agent_trust_registry import (
    AsyncClient, Client, NoPrice, NotProved, RateLimited, Refused, Transport, Unreachable, ed25519,
)  # fmt: skip

from .scripted_service import Answer, ScriptedService
from .test_answers import ANSWERS, DAY, policy_of, text_of

KEY = "atk_0123456789ab_secret"
CHALLENGE = Answer(body={"nonce": "atn_first"})


def attested(token: str, expires_in: int = 900) -> Answer:
    return Answer(body={"rails_token": token, "expires_in": expires_in})


def problem(status: int, code: str, **headers: str) -> Answer:
    body = {"code": code, "detail": "in words", "agent_hint": "what to do", "request_id": "r1"}
    return Answer(status, body, {"Content-Type": "application/problem+json", **headers})


class Calls(unittest.TestCase):
    def service(self, *answers: Answer) -> ScriptedService:
        service = ScriptedService(answers).__enter__()
        self.addCleanup(service.__exit__)
        self.slept: list[float] = []
        return service

    def client(self, service: ScriptedService, key: Any = None, **options: Any) -> Client:
        """A client that believes the service: how answers are asked for is another matter than whether they hold."""
        transport = Transport(sleep=self.slept.append, timeout=5)
        return Client(service.url, key, transport=transport, verifies=False, **options)

    def test_a_lookup_asks_for_what_is_given_and_nothing_else(self) -> None:
        service = self.service(Answer(body={"price": {"amount": "95.19"}}))
        row = self.client(service).reference("99213", region="60611-1234", modifier="26-59")
        self.assertEqual(row["price"]["amount"], "95.19")
        self.assertEqual(service.requests[0].path, "/reference?cpt=99213&region=60611-1234&modifier=26-59")
        self.assertNotIn("x-agent-key", service.requests[0].headers)

    def test_a_refusal_is_an_exception_with_code_hint_and_body(self) -> None:
        answers = (problem(404, "absent_bundled"), problem(404, "release_not_found"), problem(400, "invalid_cpt"))
        service = self.service(*answers)
        client = self.client(service)
        with self.assertRaises(NoPrice) as caught:
            client.reference("99000")
        said = caught.exception
        self.assertEqual((said.code, said.status), ("absent_bundled", 404))
        self.assertEqual((said.hint, said.request_id), ("what to do", "r1"))
        for _ in range(2):
            with self.assertRaises(Refused) as refused:
                client.row("cms-pfs:RVU26C:1", 5)
            self.assertNotIsInstance(refused.exception, NoPrice)

    def test_the_rails_are_walked_once_for_many_calls(self) -> None:
        service = self.service(CHALLENGE, attested("atr_one"), Answer(), Answer())
        client = self.client(service, KEY, scopes=["registry:read"])
        client.registry(cpt="99213")
        client.integrity()
        challenge, attest, registry, integrity = service.requests
        self.assertEqual((challenge.path, attest.path), ("/api/agent-rails/challenge", "/api/agent-rails/attest"))
        self.assertEqual(attest.body, {"nonce": "atn_first", "scopes": ["registry:read"]})
        self.assertEqual([request.headers.get("x-agent-key") for request in service.requests], [KEY, KEY, None, None])
        self.assertEqual({registry.headers["x-agent-rails"], integrity.headers["x-agent-rails"]}, {"atr_one"})

    def test_a_token_that_ended_or_was_refused_is_replaced_once(self) -> None:
        service = self.service(
            *(CHALLENGE, attested("atr_short", 20), Answer()),
            *(CHALLENGE, attested("atr_two"), problem(401, "rails_token_invalid")),
            *(CHALLENGE, attested("atr_three"), problem(401, "rails_token_invalid")),
        )
        client = self.client(service, KEY)
        client.integrity()
        self.assertRaises(Refused, client.integrity)
        tokens = [request.headers.get("x-agent-rails") for request in service.requests]
        self.assertEqual([token for token in tokens if token], ["atr_short", "atr_two", "atr_three"])

    def test_a_nonce_is_never_sent_again_after_a_lost_answer(self) -> None:
        service = self.service(CHALLENGE, Answer(0))
        self.assertRaises(Unreachable, self.client(service, KEY).integrity)
        self.assertEqual(len(service.requests), 2)

    @unittest.skipUnless(ed25519.HAS_LIBRARY, "SKIPPED: signing, because the package cryptography is not installed")
    def test_a_key_that_must_also_sign_does(self) -> None:
        service = self.service(CHALLENGE, attested("atr_one"), Answer())
        self.client(service, KEY, private_key=bytes([7]) * 32).integrity()
        import base64

        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        public = Ed25519PrivateKey.from_private_bytes(bytes([7]) * 32).public_key().public_bytes_raw()
        message = f"service_agent_rails_v1\nattest\n{service.url}\n0123456789ab\natn_first".encode()
        proof = base64.urlsafe_b64decode(service.requests[1].body["proof"] + "==")
        self.assertTrue(ed25519.verify(public, message, proof))

    def test_what_is_busy_is_asked_again_after_the_time_it_says(self) -> None:
        busy = problem(429, "rate_limited", **{"Retry-After": "7"})
        service = self.service(busy, problem(503, "unavailable"), Answer(0), Answer())
        self.client(service).figures()
        self.assertEqual((len(service.requests), self.slept[0]), (4, 7.0))
        self.assertTrue(all(0 < wait <= 8 for wait in self.slept))

    def test_what_would_take_too_long_or_cannot_get_better_is_not_asked_again(self) -> None:
        busy = problem(429, "rate_limited", **{"Retry-After": "3600"})
        service = self.service(busy, problem(503, "failed_verification"))
        client = self.client(service)
        with self.assertRaises(RateLimited) as caught:
            client.figures()
        self.assertEqual(caught.exception.retry_after, 3600)
        self.assertRaises(Refused, client.figures)
        self.assertEqual(self.slept, [])

    def test_a_redirect_gets_nothing(self) -> None:
        other = ScriptedService([Answer()])
        service = self.service(Answer(302, {}, {"Location": f"{other.url}/"}))
        self.assertRaises(Refused, self.client(service, KEY).integrity)
        self.assertEqual(other.requests, [])
        other.server.server_close()

    def test_an_answer_that_is_not_one_is_none(self) -> None:
        bodies: tuple[Any, ...] = (b"<html>", b'{"a":1,"a":2}', [])
        service = self.service(*(Answer(body=body) for body in bodies), Answer(500, b"\xff"))
        for _ in bodies:
            self.assertRaises(Unreachable, self.client(service).figures)
        self.assertRaises(Refused, self.client(service).figures)

    def test_keys_and_tokens_are_never_shown(self) -> None:
        service = self.service(CHALLENGE, attested("atr_secret"), problem(403, "insufficient_scope"))
        client = self.client(service, KEY)
        with self.assertRaises(Refused) as caught:
            client.registry()
        shown = f"{client!r} {AsyncClient(client)!r} {caught.exception!r} {vars(client)} {vars(caught.exception)}"
        self.assertNotRegex(shown, "atr_secret|secret|atn_first")

    def test_a_key_with_a_line_break_is_refused_without_being_shown(self) -> None:
        with self.assertRaises(ValueError) as caught:
            Client("https://registry.example", f"{KEY}\n")
        self.assertNotIn("secret", str(caught.exception))

    def test_an_answer_to_attest_that_is_none_gives_no_token(self) -> None:
        for body in ({}, {"rails_token": "a\nb", "expires_in": 900}, {"rails_token": "atr_one", "expires_in": "soon"}):
            service = self.service(CHALLENGE, Answer(body=body))
            self.assertRaises(Unreachable, self.client(service, KEY).integrity)

    def test_keys_are_not_sent_over_http_to_other_machines(self) -> None:
        self.assertRaises(ValueError, Client, "http://registry.example", KEY)
        self.assertRaises(ValueError, Client, "ftp://registry.example")
        Client("http://registry.example", KEY, allow_http=True)
        Client("https://registry.example/", KEY)

    def test_asyncio_callers_have_the_same_calls(self) -> None:
        service = self.service(Answer(body={"w": 0.5}), CHALLENGE, attested("atr_one"), Answer(), Answer())
        client = AsyncClient(self.client(service, KEY))

        async def ask() -> None:
            self.assertEqual((await client.figures())["w"], 0.5)
            await asyncio.gather(client.integrity(), client.provider("1234567893"))

        asyncio.run(ask())
        self.assertEqual(len(service.requests), 5)
        own = {name for name in vars(Client) if not name.startswith("_")}
        self.assertEqual(own, {name for name in vars(AsyncClient) if not name.startswith("_")})


class Checks(unittest.TestCase):
    """The client verifies what it is answered."""

    def ask(self, *answers: Answer, **options: Any) -> Client:
        service = ScriptedService(answers).__enter__()
        self.addCleanup(service.__exit__)
        self.service = service
        return Client(service.url, **options)

    def answer(self, name: str, status: int = 200) -> Answer:
        return Answer(status, json.loads(text_of(name)))

    def test_a_price_is_given_only_if_it_is_proved_and_answers_the_question(self) -> None:
        client = self.ask(self.answer("a price"), self.answer("a price"), policy=policy_of("a price"))
        self.assertEqual(client.reference("99213", as_of=DAY)["price"]["amount"], "95.19")
        with self.assertRaises(NotProved) as caught:
            client.reference("99213", as_of=DAY, setting="facility")
        self.assertEqual((caught.exception.code, caught.exception.verdict.ok), ("not_the_answer", False))

    def test_that_there_is_no_price_is_proved_too(self) -> None:
        none, forged = self.answer("not on a schedule", 404), self.answer("not on a schedule", 404)
        forged.body["code"] = "unknown_zip"
        client = self.ask(none, forged, policy=policy_of("a price"))
        with self.assertRaises(NoPrice) as caught:
            client.reference("99999", as_of=DAY)
        self.assertEqual(caught.exception.code, "not_on_schedule")
        self.assertRaises(NotProved, client.reference, "99999", as_of=DAY)

    def test_lists_and_bills_are_checked(self) -> None:
        names = ("a bill", "a sheet", "a history", "coverage", "a row that was withdrawn")
        client = self.ask(*map(self.answer, names[:4]), policy=policy_of("a price"))
        self.assertEqual(client.batch(ANSWERS["a bill"]["asked"]["questions"])["summary"]["priced"], 2)
        self.assertEqual(len(client.sheet("99213", region="94102", as_of=DAY)["data"]), 4)
        self.assertEqual(len(client.history("99213")["data"]), 5)
        self.assertEqual(client.coverage(as_of=DAY, chart="cms-pfs")["data"][0]["rows"], 1344)
        client = self.ask(*map(self.answer, names[4:] * 2), policy=policy_of("releases"))
        self.assertEqual(client.row("cms-asp:TEST1:1", 0)["kind"], "price")
        self.assertRaises(NotProved, client.row, "cms-asp:TEST1:1", 1)

    def test_the_keys_and_the_newest_checkpoint_are_kept(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            policy = Answer(body=policy_of("a price").encode())
            client = self.ask(self.answer("a price"), policy, self.answer("last known", 404), pins=folder)
            client.reference("99213", as_of=DAY)
            again = Client(self.service.url, pins=folder)
            with self.assertRaises(NotProved) as caught:
                again.reference("99213", as_of=DAY)
            self.assertEqual(caught.exception.code, "wrong_key")
            self.assertEqual(len(list(Path(folder).iterdir())), 2)

    def test_the_day_is_sent_so_that_both_mean_the_same(self) -> None:
        client = self.ask(self.answer("a price"), policy=policy_of("a price"))
        with contextlib.suppress(NotProved):
            client.reference("99213")
        self.assertRegex(self.service.requests[0].path, r"^/reference\?cpt=99213&as_of=20[0-9]{2}-[0-9]{2}-[0-9]{2}$")


if __name__ == "__main__":
    unittest.main()
