"""A chat server on loopback whose answers a test scripts."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def chat(text, *, finish="stop", top=None, refusal=None):
    choice = {"message": {"content": text, "refusal": refusal}, "finish_reason": finish}
    if top is not None:
        entries = [{"token": token, "logprob": logprob} for token, logprob in top]
        choice["logprobs"] = {"content": [entries[0] | {"top_logprobs": entries}]}
    return 200, {}, {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}


@contextmanager
def serving(answer):
    """Address and list of requests (path, headers, body) of a server; `answer` maps them to its reply."""
    seen, turn = [], threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with turn:
                seen.append((self.path, dict(self.headers), body))
                status, headers, content = answer(len(seen), self.headers, body)
            payload = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
