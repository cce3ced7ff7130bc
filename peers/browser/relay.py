"""A line between a browser and an agent that can be cut: loopback only."""

import socket
import threading


class Relay:
    """Passes connections to 127.0.0.1 on to a port, and counts octets."""

    def __init__(self, port):
        self.target = port
        self.sent = 0
        self.received = 0
        self.pairs = set()
        self.lock = threading.Lock()
        self.listener = None
        self.port = 0
        self.join()

    def join(self):
        """Accepts connections, always on the same port."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self.listener = listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def cut(self):
        """Ends all connections, and refuses new ones."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            for one in [end for pair in self.pairs for end in pair]:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def accept(self, listener):
        while True:
            try:
                browser, _ = listener.accept()
            except OSError:
                return
            try:
                agent = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                browser.close()
                continue
            pair = (browser, agent)
            with self.lock:
                self.pairs.add(pair)
            threading.Thread(target=self.copy, args=(browser, agent, pair, "sent"), daemon=True).start()
            threading.Thread(target=self.copy, args=(agent, browser, pair, "received"), daemon=True).start()

    def copy(self, source, sink, pair, name):
        try:
            while octets := source.recv(65536):
                sink.sendall(octets)
                with self.lock:
                    setattr(self, name, getattr(self, name) + len(octets))
        except OSError:
            pass
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        with self.lock:
            self.pairs.discard(pair)
