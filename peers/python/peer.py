"""pysnmp behind lines of text: a command on standard input, an answer on standard output.

The commands are told in peers/README.md and are those of the Java peer too.
"""

import asyncio
import bisect
import sys

from pysnmp.carrier.asyncio.dgram import udp
from pysnmp.entity import config, engine
from pysnmp.entity.rfc3413 import cmdrsp, context, ntfrcv
from pysnmp.hlapi.v3arch import asyncio as hlapi
from pysnmp.proto import rfc1902, rfc1905
from pysnmp.proto.api import v2c
from pysnmp.smi import error

AUTH = {
    "-": hlapi.USM_AUTH_NONE,
    "MD5": hlapi.USM_AUTH_HMAC96_MD5,
    "SHA": hlapi.USM_AUTH_HMAC96_SHA,
    "SHA-224": hlapi.USM_AUTH_HMAC128_SHA224,
    "SHA-256": hlapi.USM_AUTH_HMAC192_SHA256,
    "SHA-384": hlapi.USM_AUTH_HMAC256_SHA384,
    "SHA-512": hlapi.USM_AUTH_HMAC384_SHA512,
}
PRIVACY = {
    "-": hlapi.USM_PRIV_NONE,
    "DES": hlapi.USM_PRIV_CBC56_DES,
    "AES": hlapi.USM_PRIV_CFB128_AES,
    "AES-192": hlapi.USM_PRIV_CFB192_AES_BLUMENTHAL,
    "AES-256": hlapi.USM_PRIV_CFB256_AES_BLUMENTHAL,
    "AES-192-C": hlapi.USM_PRIV_CFB192_AES,
    "AES-256-C": hlapi.USM_PRIV_CFB256_AES,
}
LEVELS = {1: "noAuthNoPriv", 2: "authNoPriv", 3: "authPriv"}
SERVED = {
    (1, 3, 6, 1, 2, 1, 1, 1, 0): rfc1902.OctetString("pysnmp as a peer"),
    (1, 3, 6, 1, 2, 1, 1, 3, 0): rfc1902.TimeTicks(4711),
    (1, 3, 6, 1, 2, 1, 1, 5, 0): rfc1902.OctetString("peer"),
    (1, 3, 6, 1, 2, 1, 1, 7, 0): rfc1902.Integer32(72),
}
NAMES = sorted(SERVED)


def say(line):
    print(line.strip(), flush=True)


def text(value):
    for exception, name in [
        (rfc1905.NoSuchObject, "noSuchObject"),
        (rfc1905.NoSuchInstance, "noSuchInstance"),
        (rfc1905.EndOfMibView, "endOfMibView"),
    ]:
        if isinstance(value, exception):
            return name
    if isinstance(value, rfc1902.ObjectIdentifier):
        return ".".join(map(str, value))
    if isinstance(value, rfc1902.IpAddress):
        return value.prettyPrint()
    if isinstance(value, rfc1902.OctetString):
        return bytes(value).decode("utf-8", "backslashreplace")
    return value.prettyPrint()


def words(bindings):
    return " | ".join(f"{'.'.join(map(str, tuple(name)))}={text(value)}" for name, value in bindings)


class FixedInstrumentation:
    """A few fixed objects in the place of pysnmp's MIB controller."""

    def read_variables(self, *bindings, **context):
        return [(name, SERVED.get(tuple(name), rfc1905.noSuchObject)) for name, _ in bindings]

    def read_next_variables(self, *bindings, **context):
        found = []
        for name, _ in bindings:
            at = bisect.bisect_right(NAMES, tuple(name))
            if at == len(NAMES):
                found.append((name, rfc1905.endOfMibView))
            else:
                found.append((rfc1902.ObjectName(NAMES[at]), SERVED[NAMES[at]]))
        return found

    def write_variables(self, *bindings, **context):
        for at, (name, _) in enumerate(bindings):
            if tuple(name) not in SERVED:
                raise error.NotWritableError(name=name, idx=at)
        SERVED.update((tuple(name), value) for name, value in bindings)
        return bindings


class Peer:
    def __init__(self):
        self.users = {}
        self.manager = hlapi.SnmpEngine()
        self.server = None
        self.port = None

    async def answer(self, line):
        command, *rest = line.split()
        if command == "user":
            name, auth, auth_password, privacy, privacy_password = rest
            self.users[name] = (AUTH[auth], auth_password, PRIVACY[privacy], privacy_password)
            if self.server:
                self.add_user(name)
            return ""
        if command == "sender":
            self.add_user(rest[0], v2c.OctetString(hexValue=rest[1]))
            return ""
        if command in ("get", "next", "bulk", "set"):
            return words(await self.ask(command, rest))
        if command == "walk":
            return str(await self.walk(*rest))
        if command in ("trap", "inform"):
            return await self.notify(command, rest)
        if command in ("listen", "agent"):
            return str(self.serve())
        raise ValueError(f"unknown command {command}")

    def user_data(self, name, level):
        auth, auth_password, privacy, privacy_password = self.users[name]
        if level == 1:
            return hlapi.UsmUserData(name)
        if level == 2:
            return hlapi.UsmUserData(name, auth_password, authProtocol=auth)
        return hlapi.UsmUserData(
            name, auth_password, privacy_password, authProtocol=auth, privProtocol=privacy
        )

    async def target(self, address, who):
        host, port = address.split("/")
        form, name = who.split(":", 1)
        transport = await hlapi.UdpTransportTarget.create((host, int(port)), timeout=3, retries=1)
        if form.startswith("v"):
            return hlapi.CommunityData(name, mpModel=0 if form == "v1" else 1), transport
        return self.user_data(name, int(form)), transport

    async def ask(self, command, rest):
        address, who, *names = rest
        auth, transport = await self.target(address, who)
        start = (self.manager, auth, transport, hlapi.ContextData())
        plain = {"lookupMib": False}
        if command == "set":
            name, kind, value = names
            value = rfc1902.Integer32(int(value)) if kind == "i" else rfc1902.OctetString(value)
            bindings = [hlapi.ObjectType(hlapi.ObjectIdentity(name), value)]
        else:
            bindings = [hlapi.ObjectType(hlapi.ObjectIdentity(name)) for name in names]
        if command == "get":
            outcome = await hlapi.get_cmd(*start, *bindings, **plain)
        elif command == "next":
            outcome = await hlapi.next_cmd(*start, *bindings, **plain)
        elif command == "bulk":
            outcome = await hlapi.bulk_cmd(*start, 0, 10, *bindings, **plain)
        else:
            outcome = await hlapi.set_cmd(*start, *bindings, **plain)
        indication, status, index, found = outcome
        if indication:
            raise RuntimeError(str(indication))
        if status:
            raise RuntimeError(f"{status.prettyPrint()} at {index}")
        return found

    async def walk(self, address, who, root):
        root = tuple(int(part) for part in root.split("."))
        last, count = root, 0
        while True:
            found = await self.ask("bulk", [address, who, ".".join(map(str, last))])
            for name, value in found:
                name = tuple(name)
                if isinstance(value, rfc1905.EndOfMibView) or name[: len(root)] != root:
                    return count
                if name <= last:
                    raise RuntimeError(f"not increasing: {name}")
                last = name
                count += 1

    async def notify(self, command, rest):
        address, who, trap, *more = rest
        auth, transport = await self.target(address, who)
        bindings = [
            (v2c.ObjectIdentifier((1, 3, 6, 1, 2, 1, 1, 3, 0)), v2c.TimeTicks(100)),
            (v2c.ObjectIdentifier((1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0)), v2c.ObjectIdentifier(trap)),
        ]
        for at in range(0, len(more), 3):
            name, kind, value = more[at : at + 3]
            value = v2c.Integer32(int(value)) if kind == "i" else v2c.OctetString(value)
            bindings.append((v2c.ObjectIdentifier(name), value))
        indication, status, index, found = await hlapi.send_notification(
            self.manager, auth, transport, hlapi.ContextData(), command, *bindings, lookupMib=False
        )
        if indication:
            raise RuntimeError(str(indication))
        if status:
            raise RuntimeError(f"{status} at {index}")
        return words(found) if command == "inform" else ""

    def serve(self):
        if self.server:
            return self.port
        self.server = engine.SnmpEngine()
        transport = udp.UdpAsyncioTransport().open_server_mode(("127.0.0.1", 0))
        config.add_transport(self.server, udp.DOMAIN_NAME, transport)
        for community in ("public",):
            config.add_v1_system(self.server, community, community)
            for model in (1, 2):
                config.add_vacm_user(self.server, model, community, "noAuthNoPriv", (1,), (1,), (1,))
        for name in self.users:
            self.add_user(name)
        self.contexts = context.SnmpContext(self.server)
        self.contexts.unregister_context_name(b"")
        self.contexts.register_context_name(b"", FixedInstrumentation())
        cmdrsp.GetCommandResponder(self.server, self.contexts)
        cmdrsp.NextCommandResponder(self.server, self.contexts)
        cmdrsp.BulkCommandResponder(self.server, self.contexts)
        cmdrsp.SetCommandResponder(self.server, self.contexts)
        ntfrcv.NotificationReceiver(self.server, self.received)
        self.transport = transport
        return None

    def add_user(self, name, engine_id=None):
        auth, auth_password, privacy, privacy_password = self.users[name]
        config.add_v3_user(
            self.server,
            name,
            auth,
            None if auth_password == "-" else auth_password,
            privacy,
            None if privacy_password == "-" else privacy_password,
            securityEngineId=engine_id,
        )
        level = 1 + (auth != AUTH["-"]) + (privacy != PRIVACY["-"])
        config.add_vacm_user(self.server, 3, name, LEVELS[level], (1,), (1,), (1,))

    def received(self, server, reference, engine_id, context_name, bindings, _):
        info = self.server.observer.get_execution_context("rfc3412.receiveMessage:request")
        model, level = int(info["securityModel"]), int(info["securityLevel"])
        name = info["securityName"]
        kind = "INFORM" if "Inform" in type(info["pdu"]).__name__ else "TRAP"
        version = {1: 0, 2: 1, 3: 3}[model]
        say(f"received {kind} {version} {level}:{name} {words(bindings)}")


async def main():
    peer = Peer()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    say("ready")
    while line := (await reader.readline()).decode():
        if line.strip() == "quit":
            break
        try:
            answer = await peer.answer(line)
            if answer == "None":
                # The socket is made by the loop, a moment after it was asked for.
                while peer.transport.transport is None:
                    await asyncio.sleep(0.01)
                peer.port = peer.transport.transport.get_extra_info("sockname")[1]
                answer = str(peer.port)
            say(f"ok {answer}")
        except Exception as fault:
            say(f"error {type(fault).__name__}: {fault}")


asyncio.run(main())
