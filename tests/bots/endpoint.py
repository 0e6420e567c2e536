"""An OpenAI-compatible endpoint that can misbehave, on a free port of this machine."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that went away is what some tests are about."""


class Endpoint:
    """Answers with the last message; ``rules`` may answer in its place with (status, headers, body)."""

    def __init__(self):
        self.asked, self.keys, self.most, self.rules, self.pause = [], [], 0, [], 0.0
        self._inside, self._lock = 0, threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                outer.handle(self)

            def log_message(self, *_):
                """Nothing."""

        self.server = Server(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def handle(self, http):
        body = json.loads(http.rfile.read(int(http.headers["content-length"])))
        with self._lock:
            number = len(self.asked)
            self.asked.append(body)
            self.keys.append(http.headers.get("authorization"))
            self._inside += 1
            self.most = max(self.most, self._inside)
        try:
            time.sleep(self.pause)
            status, headers, answer = next((a for rule in self.rules if (a := rule(body, number))), None) or said(body)
        finally:
            with self._lock:
                self._inside -= 1
        data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        http.send_response(status)
        for key, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
            http.send_header(key, value)
        http.end_headers()
        http.wfile.write(data)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


def said(body, texts=None):
    """A usual answer: ``n`` texts that repeat the last message."""
    last = body["messages"][-1]["content"]
    texts = texts if texts is not None else [f"you said {last} ({k})" for k in range(body.get("n", 1))]
    choices = [
        {"index": k, "message": {"role": "assistant", "content": t}, "finish_reason": "stop"} for k, t in enumerate(texts)
    ]
    usage = {"prompt_tokens": sum(len(m["content"]) for m in body["messages"]), "completion_tokens": sum(map(len, texts))}
    return 200, {}, {"object": "chat.completion", "model": body["model"], "choices": choices, "usage": usage}


def refused(status, message="no", code=None, param=None, **headers):
    """An error in the usual spelling."""
    return status, headers, {"error": {"message": message, "code": code, "param": param}}


@contextmanager
def running():
    """A running endpoint, stopped in the end."""
    made = Endpoint()
    try:
        yield made
    finally:
        made.stop()
