"""Servers for webhook endpoints: WSGI with threads, and a small ASGI server over asyncio."""
import asyncio
import contextlib
import http.client
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class _Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def wsgi_server(app):
    """Yields the port."""
    server = make_server("127.0.0.1", 0, app, server_class=_Threaded, handler_class=_Quiet)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def asgi_server(app):
    """Yields the port."""
    loop = asyncio.new_event_loop()

    async def start():
        return await asyncio.start_server(lambda *streams: _serve(app, *streams), "127.0.0.1", 0)

    server = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


async def _serve(app, reader, writer):
    """Serves one request of a connection. The body arrives in pieces."""
    line = await reader.readline()
    headers = []
    while True:
        name, colon, value = (await reader.readline()).rstrip(b"\r\n").partition(b":")
        if not colon:
            break
        headers.append((name.lower(), value.strip()))
    left = int(dict(headers).get(b"content-length", 0))

    async def receive():
        nonlocal left
        body = await reader.read(min(left, 64 * 1024))
        if left > 0 and not body:
            return {"type": "http.disconnect"}
        left -= len(body)
        return {"type": "http.request", "body": body, "more_body": left > 0}

    async def send(message):
        if message["type"] == "http.response.start":
            writer.write(b"HTTP/1.1 %d x\r\nconnection: close\r\n" % message["status"])
            writer.writelines(name + b": " + value + b"\r\n" for name, value in message["headers"])
            writer.write(b"\r\n")
        else:
            writer.write(message["body"])

    await app({"type": "http", "method": line.split()[0].decode(), "headers": headers}, receive, send)
    with contextlib.suppress(ConnectionError):
        await writer.drain()
    writer.close()


def request(port, method="POST", headers=None, body=b""):
    """Sends a request. Returns status, text and headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, "/", body=body, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.read().decode(), response.headers
    finally:
        connection.close()
