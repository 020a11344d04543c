"""A service on this machine that gives the answers of a script and keeps what was asked."""

import json
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status: int = 200
    body: Any = {}
    headers: dict[str, str] = {}


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: Any


class ScriptedService:
    def __init__(self, answers: Iterable[Answer]) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.requests.append(Request(self.command, self.path, headers, json.loads(content or b"null")))
                answer = service.answers.pop(0)
                if answer.status == 0:
                    return  # the connection ends without an answer
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {**answer.headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> "ScriptedService":
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
