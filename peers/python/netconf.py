"""Clients of NETCONF that others wrote, against one server: ncclient, netconf-client, asyncssh, scrapli.

Called with the client's name, the server's port, a user and the password; prints what the test looks for.
"""

import sys

client, port, user, password = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
HOST = "127.0.0.1"
BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
IF = "urn:ietf:params:xml:ns:yang:smiv2:IF-MIB"
FILTER = (
    f'<IF-MIB xmlns="{IF}"><ifTable><ifEntry><ifIndex>1</ifIndex><ifDescr/></ifEntry></ifTable></IF-MIB>'
)


SYSTEM = "urn:ietf:params:xml:ns:yang:ietf-system"


def contact(text, operation="merge"):
    """An edit of the system's contact."""
    return (
        f'<config xmlns="{BASE}" xmlns:nc="{BASE}"><system xmlns="{SYSTEM}">'
        f'<contact nc:operation="{operation}">{text}</contact></system></config>'
    )


SNMP = "urn:ietf:params:xml:ns:yang:ietf-snmp"
TARGET = (
    f'<config xmlns="{BASE}"><snmp xmlns="{SNMP}"><target><name>nms</name><udp><ip>192.0.2.1</ip></udp><tag>x</tag>'
    "<target-params>p</target-params></target><target-params><name>p</name><v2c><security-name>ann</security-name></v2c>"
    "</target-params><notify><name>n</name><tag>x</tag></notify></snmp></config>"
)


def establish():
    """A subscription to the system's contact, on change."""
    push, stores = "urn:ietf:params:xml:ns:yang:ietf-yang-push", "urn:ietf:params:xml:ns:yang:ietf-datastores"
    return (
        f'<establish-subscription xmlns="{SUBSCRIBED}" xmlns:yp="{push}">'
        f'<yp:datastore xmlns:ds="{stores}">ds:running</yp:datastore>'
        f'<yp:datastore-xpath-filter xmlns:s="{SYSTEM}">/s:system/s:contact</yp:datastore-xpath-filter>'
        "<yp:on-change/></establish-subscription>"
    )


SUBSCRIBED = "urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications"


def show(text):
    """What was found, in one line."""
    print("found" if "<ifDescr>lo</ifDescr>" in text else f"not found in {text}")


def with_ncclient():
    from lxml import etree
    from ncclient import manager
    from ncclient.operations import RPCError

    with manager.connect(
        host=HOST,
        port=port,
        username=user,
        password=password,
        hostkey_verify=False,
        allow_agent=False,
        look_for_keys=False,
    ) as session:
        print("base:1.1" if ":base:1.1" in session.server_capabilities else "no base:1.1")
        show(session.get(filter=("subtree", FILTER)).data_xml)
        print("module" if "module IF-MIB" in session.get_schema("IF-MIB").data else "no module")
        with session.locked("candidate"):
            print("locked")
            session.edit_config(target="candidate", config=contact("of ncclient"))
            session.validate(source="candidate")
            session.commit(confirmed=True, timeout="60")
            session.commit()
        data = session.get_config(source="running", filter=("subtree", f'<system xmlns="{SYSTEM}"/>'))
        print("committed" if ">of ncclient<" in data.data_xml else data.data_xml)
        try:
            session.edit_config(target="candidate", config=contact("again", "create"))
        except RPCError as error:
            print(error.tag)
        session.discard_changes()
        session.edit_config(target="candidate", config=TARGET)
        session.commit()
        data = session.get_config(source="running", filter=("subtree", f'<snmp xmlns="{SNMP}"/>')).data_xml
        print("target" if "<ip>192.0.2.1</ip>" in data and "<tag>x</tag>" in data else data)
        reply = session.dispatch(etree.fromstring(establish()))
        number = etree.fromstring(reply.xml.encode()).findtext(f"{{{SUBSCRIBED}}}id")
        update = session.take_notification(timeout=60)
        print("pushed" if update and "push-update" in update.notification_xml else update)
        session.edit_config(target="running", config=contact("changed"))
        update = session.take_notification(timeout=60)
        target = "<target>/ietf-system:system/contact</target>"
        print("changed" if update and target in update.notification_xml else update)
        delete = f'<delete-subscription xmlns="{SUBSCRIBED}"><id>{number}</id></delete-subscription>'
        session.dispatch(etree.fromstring(delete))
        changes = "urn:ietf:params:xml:ns:yang:ietf-netconf-notifications"
        session.create_subscription(filter=("subtree", f'<netconf-config-change xmlns="{changes}"/>'))
        session.edit_config(target="running", config=contact("told"))
        event = session.take_notification(timeout=60)
        print("told" if event and "/sys:system/sys:contact" in event.notification_xml else event)


def with_netconf_client():
    from netconf_client.connect import connect_ssh
    from netconf_client.error import RpcError
    from netconf_client.ncclient import Manager

    with connect_ssh(host=HOST, port=port, username=user, password=password) as session:
        manager = Manager(session, timeout=60)
        show(manager.get(filter=f'<filter type="subtree">{FILTER}</filter>').data_xml.decode())
        manager.edit_config(target="candidate", config=contact("of netconf-client"))
        manager.commit()
        data = manager.get_config(source="running").data_xml.decode()
        print("committed" if ">of netconf-client<" in data else data)
        manager.edit_config(target="running", config=contact("", "remove"))
        try:
            manager.edit_config(target="running", config=contact("", "delete"))
        except RpcError as error:
            print(error.tag)
        manager.dispatch(establish())
        update = manager.take_notification(timeout=60).notification_xml.decode()
        print("pushed" if "push-update" in update else update)
        manager.edit_config(target="running", config=contact("changed"))
        update = manager.take_notification(timeout=60).notification_xml.decode()
        print("changed" if "<target>/ietf-system:system</target>" in update else update)
        manager.close_session()


def with_asyncssh():
    import asyncio

    import asyncssh

    async def talk():
        async with asyncssh.connect(
            HOST, port, username=user, password=password, known_hosts=None
        ) as connection:
            writer, reader, _ = await connection.open_session(subsystem="netconf")
            hello = await reader.readuntil("]]>]]>")
            print("hello" if "base:1.1" in hello else hello)
            base = "urn:ietf:params:netconf:base:1.0"
            namespace = "urn:ietf:params:xml:ns:netconf:base:1.0"
            writer.write(
                f'<hello xmlns="{namespace}"><capabilities><capability>{base}</capability></capabilities></hello>]]>]]>'
                f'<rpc xmlns="{namespace}" message-id="1"><get><filter type="subtree">{FILTER}</filter></get></rpc>]]>]]>'
                f'<rpc xmlns="{namespace}" message-id="2"><close-session/></rpc>]]>]]>'
            )
            show(await reader.readuntil("]]>]]>"))
            print("closed" if "<ok/>" in await reader.readuntil("]]>]]>") else "not closed")

    asyncio.run(talk())


def with_scrapli():
    import asyncio

    from scrapli_netconf.driver import AsyncNetconfDriver

    async def talk():
        async with AsyncNetconfDriver(
            host=HOST,
            port=port,
            auth_username=user,
            auth_password=password,
            auth_strict_key=False,
            transport="asyncssh",
            timeout_ops=60,
            timeout_transport=60,
            timeout_socket=60,
        ) as session:
            show((await session.get(filter_=FILTER)).result)
            show((await session.get(filter_="//ifEntry[ifIndex=1]/ifDescr", filter_type="xpath")).result)
            reply = await session.lock(target="running")
            print("locked" if "<ok/>" in reply.result else reply.result)

    asyncio.run(talk())


{
    "scrapli": with_scrapli,
    "ncclient": with_ncclient,
    "netconf-client": with_netconf_client,
    "asyncssh": with_asyncssh,
}[client]()
