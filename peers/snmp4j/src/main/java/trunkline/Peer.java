package trunkline;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import org.snmp4j.CertifiedTarget;
import org.snmp4j.CommandResponder;
import org.snmp4j.CommandResponderEvent;
import org.snmp4j.CommunityTarget;
import org.snmp4j.MessageException;
import org.snmp4j.PDU;
import org.snmp4j.PDUv1;
import org.snmp4j.ScopedPDU;
import org.snmp4j.Snmp;
import org.snmp4j.Target;
import org.snmp4j.TransportMapping;
import org.snmp4j.UserTarget;
import org.snmp4j.event.ResponseEvent;
import org.snmp4j.mp.MPv3;
import org.snmp4j.mp.SnmpConstants;
import org.snmp4j.mp.StatusInformation;
import org.snmp4j.security.AuthHMAC128SHA224;
import org.snmp4j.security.AuthHMAC192SHA256;
import org.snmp4j.security.AuthHMAC256SHA384;
import org.snmp4j.security.AuthHMAC384SHA512;
import org.snmp4j.security.AuthMD5;
import org.snmp4j.security.AuthSHA;
import org.snmp4j.security.PrivAES128;
import org.snmp4j.security.PrivAES192;
import org.snmp4j.security.PrivAES256;
import org.snmp4j.security.PrivDES;
import org.snmp4j.security.SecurityLevel;
import org.snmp4j.security.SecurityModel;
import org.snmp4j.security.SecurityModels;
import org.snmp4j.security.SecurityProtocols;
import org.snmp4j.security.TSM;
import org.snmp4j.security.USM;
import org.snmp4j.security.UsmUser;
import org.snmp4j.security.nonstandard.PrivAES192With3DESKeyExtension;
import org.snmp4j.security.nonstandard.PrivAES256With3DESKeyExtension;
import org.snmp4j.smi.Address;
import org.snmp4j.smi.GenericAddress;
import org.snmp4j.smi.Integer32;
import org.snmp4j.smi.IpAddress;
import org.snmp4j.smi.Null;
import org.snmp4j.smi.OID;
import org.snmp4j.smi.OctetString;
import org.snmp4j.smi.TcpAddress;
import org.snmp4j.smi.TimeTicks;
import org.snmp4j.smi.UdpAddress;
import org.snmp4j.smi.Variable;
import org.snmp4j.smi.VariableBinding;
import org.snmp4j.transport.DefaultUdpTransportMapping;

/**
 * SNMP4J behind lines of text: a command on standard input, an answer on standard output. The commands are told in
 * peers/README.md and are those of the Python peer too.
 */
public final class Peer {
    /** snmpEngineID, by which RFC 5343 finds an engine. */
    private static final OID ENGINE_ID = new OID("1.3.6.1.6.3.10.2.1.1.0");

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final DefaultUdpTransportMapping transport;
    private final Snmp snmp;
    private final TreeMap<OID, Variable> served = new TreeMap<>();
    private boolean listening;

    private Peer() throws Exception {
        SecurityProtocols protocols = SecurityProtocols.getInstance();
        protocols.addAuthenticationProtocol(new AuthMD5());
        protocols.addAuthenticationProtocol(new AuthSHA());
        protocols.addAuthenticationProtocol(new AuthHMAC128SHA224());
        protocols.addAuthenticationProtocol(new AuthHMAC192SHA256());
        protocols.addAuthenticationProtocol(new AuthHMAC256SHA384());
        protocols.addAuthenticationProtocol(new AuthHMAC384SHA512());
        protocols.addPrivacyProtocol(new PrivDES());
        protocols.addPrivacyProtocol(new PrivAES128());
        protocols.addPrivacyProtocol(new PrivAES192());
        protocols.addPrivacyProtocol(new PrivAES256());
        protocols.addPrivacyProtocol(new PrivAES192With3DESKeyExtension());
        protocols.addPrivacyProtocol(new PrivAES256With3DESKeyExtension());
        SecurityModels.getInstance()
            .addSecurityModel(new USM(protocols, new OctetString(MPv3.createLocalEngineID()), 1));
        transport = new DefaultUdpTransportMapping(new UdpAddress("127.0.0.1/0"));
        snmp = new Snmp(transport);
        SecurityModels.getInstance().addSecurityModel(new TSM(new OctetString(snmp.getLocalEngineID()), false));
        snmp.addCommandResponder(new Responder());
        transport.listen();
        served.put(new OID("1.3.6.1.2.1.1.1.0"), new OctetString("SNMP4J as a peer"));
        served.put(new OID("1.3.6.1.2.1.1.3.0"), new TimeTicks(4711));
        served.put(new OID("1.3.6.1.2.1.1.5.0"), new OctetString("peer"));
        served.put(new OID("1.3.6.1.2.1.1.7.0"), new Integer32(72));
        served.put(ENGINE_ID, new OctetString(snmp.getLocalEngineID()));
    }

    public static void main(String[] arguments) throws Exception {
        new Peer().serve();
        System.exit(0);
    }

    private void serve() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.trim().split("\\s+");
            if (words[0].equals("quit")) {
                return;
            }
            try {
                say("ok " + answer(words));
            } catch (Exception error) {
                say("error " + error);
            }
        }
    }

    private synchronized void say(String line) {
        out.println(line.stripTrailing());
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "user":
                return addUser(words);
            case "sender": // SNMP4J makes keys for whatever engine sends
                return "";
            case "session":
                return openSessions(words);
            case "get":
                return ask(words, PDU.GET);
            case "next":
                return ask(words, PDU.GETNEXT);
            case "bulk":
                return ask(words, PDU.GETBULK);
            case "walk":
                return walk(words);
            case "set":
                return set(words);
            case "trap":
                return notify(words, PDU.TRAP);
            case "inform":
                return notify(words, PDU.INFORM);
            case "listen":
                listening = true;
                return port();
            case "agent":
                return port();
            default:
                throw new IllegalArgumentException("unknown command " + words[0]);
        }
    }

    private String port() {
        return String.valueOf(transport.getListenAddress().getPort());
    }

    /** user NAME AUTH PASSWORD PRIV PASSWORD, with - for what the user does not have. */
    private String addUser(String[] words) {
        OctetString name = new OctetString(words[1]);
        snmp.getUSM().addUser(name, new UsmUser(name, authOf(words[2]), secret(words[3]), privacyOf(words[4]), secret(words[5])));
        return "";
    }

    /** session tls|dtls VERSION CERTIFICATE KEY AUTHORITY; gives the port that listens. */
    private String openSessions(String[] words) throws Exception {
        TransportMapping<? extends Address> sessions = Sessions.open(words[1], words[2], words[3], words[4], words[5]);
        snmp.addTransportMapping(sessions);
        sessions.listen();
        Address address = sessions.getListenAddress();
        return String.valueOf(address instanceof TcpAddress ? ((TcpAddress) address).getPort() : ((UdpAddress) address).getPort());
    }

    private static OctetString secret(String word) {
        return word.equals("-") ? null : new OctetString(word);
    }

    private static OID authOf(String word) {
        switch (word) {
            case "-": return null;
            case "MD5": return AuthMD5.ID;
            case "SHA": return AuthSHA.ID;
            case "SHA-224": return AuthHMAC128SHA224.ID;
            case "SHA-256": return AuthHMAC192SHA256.ID;
            case "SHA-384": return AuthHMAC256SHA384.ID;
            case "SHA-512": return AuthHMAC384SHA512.ID;
            default: throw new IllegalArgumentException("unknown authentication protocol " + word);
        }
    }

    private static OID privacyOf(String word) {
        switch (word) {
            case "-": return null;
            case "DES": return PrivDES.ID;
            case "AES": return PrivAES128.ID;
            case "AES-192": return PrivAES192.ID;
            case "AES-256": return PrivAES256.ID;
            case "AES-192-C": return PrivAES192With3DESKeyExtension.ID;
            case "AES-256-C": return PrivAES256With3DESKeyExtension.ID;
            default: throw new IllegalArgumentException("unknown privacy protocol " + word);
        }
    }

    /** ADDRESS (host/port), then v1:COMMUNITY, v2c:COMMUNITY, LEVEL:USER with the level 1, 2 or 3, or tsm:NAME. */
    private Target<Address> target(String[] words) throws Exception {
        Address address = words[1].contains(":") ? GenericAddress.parse(words[1]) : new UdpAddress(words[1]);
        String[] who = words[2].split(":", 2);
        Target<Address> target;
        if (who[0].equals("tsm")) {
            CertifiedTarget<Address> certified =
                new CertifiedTarget<>(address, new OctetString(who[1]), new OctetString(), new OctetString());
            certified.setVersion(SnmpConstants.version3);
            certified.setSecurityModel(SecurityModel.SECURITY_MODEL_TSM);
            certified.setSecurityLevel(SecurityLevel.AUTH_PRIV);
            target = certified;
        } else if (who[0].startsWith("v")) {
            target = new CommunityTarget<>(address, new OctetString(who[1]));
            target.setVersion(who[0].equals("v1") ? SnmpConstants.version1 : SnmpConstants.version2c);
        } else {
            UserTarget<Address> user = new UserTarget<>();
            user.setAddress(address);
            user.setVersion(SnmpConstants.version3);
            user.setSecurityLevel(Integer.parseInt(who[0]));
            user.setSecurityName(new OctetString(who[1]));
            target = user;
        }
        target.setTimeout(3000);
        target.setRetries(1);
        return target;
    }

    private static PDU pduFor(Target<Address> target, int type) {
        PDU pdu = target.getVersion() == SnmpConstants.version3 ? new ScopedPDU() : new PDU();
        pdu.setType(type);
        return pdu;
    }

    private PDU send(PDU pdu, Target<Address> target) throws Exception {
        ResponseEvent<Address> event = snmp.send(pdu, target);
        if (event == null || event.getResponse() == null) {
            throw new IllegalStateException("no response" + (event != null && event.getError() != null ? ": " + event.getError() : ""));
        }
        PDU response = event.getResponse();
        if (response.getType() == PDU.REPORT) {
            throw new IllegalStateException("report " + response.get(0).getOid());
        }
        if (response.getErrorStatus() != 0) {
            throw new IllegalStateException(response.getErrorStatusText() + " at " + response.getErrorIndex());
        }
        return response;
    }

    private static String words(List<? extends VariableBinding> bindings) {
        List<String> words = new ArrayList<>();
        for (VariableBinding binding : bindings) {
            words.add(binding.getOid() + "=" + text(binding.getVariable()));
        }
        return String.join(" | ", words);
    }

    private static String text(Variable value) {
        if (value instanceof TimeTicks) {
            return String.valueOf(value.toLong());
        }
        return value.toString();
    }

    private String ask(String[] words, int type) throws Exception {
        Target<Address> target = target(words);
        PDU pdu = pduFor(target, type);
        if (type == PDU.GETBULK) {
            pdu.setMaxRepetitions(10);
        }
        for (int at = 3; at < words.length; at++) {
            pdu.add(new VariableBinding(new OID(words[at])));
        }
        return words(send(pdu, target).getVariableBindings());
    }

    /** How many instances there are below an object, found by GetBulk. */
    private String walk(String[] words) throws Exception {
        Target<Address> target = target(words);
        OID root = new OID(words[3]);
        OID last = root;
        for (int count = 0; ; ) {
            PDU pdu = pduFor(target, PDU.GETBULK);
            pdu.setMaxRepetitions(20);
            pdu.add(new VariableBinding(last));
            for (VariableBinding binding : send(pdu, target).getVariableBindings()) {
                if (binding.isException() || !binding.getOid().startsWith(root)) {
                    return String.valueOf(count);
                }
                if (binding.getOid().compareTo(last) <= 0) {
                    throw new IllegalStateException("not increasing: " + binding.getOid());
                }
                last = binding.getOid();
                count++;
            }
        }
    }

    private String set(String[] words) throws Exception {
        Target<Address> target = target(words);
        PDU pdu = pduFor(target, PDU.SET);
        pdu.add(binding(words[3], words[4], words[5]));
        return words(send(pdu, target).getVariableBindings());
    }

    private static VariableBinding binding(String name, String type, String value) {
        Variable variable = type.equals("i") ? new Integer32(Integer.parseInt(value)) : new OctetString(value);
        return new VariableBinding(new OID(name), variable);
    }

    /** trap ADDRESS WHO TRAP-OID [NAME TYPE VALUE]... */
    private String notify(String[] words, int type) throws Exception {
        Target<Address> target = target(words);
        boolean inVersion1 = type == PDU.TRAP && target.getVersion() == SnmpConstants.version1;
        PDU pdu = inVersion1 ? trapOfVersion1(new OID(words[3])) : pduFor(target, type);
        if (!inVersion1) {
            pdu.add(new VariableBinding(SnmpConstants.sysUpTime, new TimeTicks(100)));
            pdu.add(new VariableBinding(SnmpConstants.snmpTrapOID, new OID(words[3])));
        }
        for (int at = 4; at + 2 < words.length; at += 3) {
            pdu.add(binding(words[at], words[at + 1], words[at + 2]));
        }
        if (type == PDU.TRAP) {
            if (target instanceof UserTarget) {
                ((UserTarget<Address>) target).setAuthoritativeEngineID(snmp.getLocalEngineID());
            }
            snmp.send(pdu, target);
            return "";
        }
        return words(send(pdu, target).getVariableBindings());
    }

    /** What stands for a notification in SNMPv1 (RFC 3584 section 3.2). */
    private static PDUv1 trapOfVersion1(OID name) {
        PDUv1 trap = new PDUv1();
        trap.setTimestamp(100);
        trap.setAgentAddress(new IpAddress("127.0.0.1"));
        if (name.startsWith(SnmpConstants.snmpTraps)) {
            trap.setEnterprise(SnmpConstants.snmpTraps);
            trap.setGenericTrap(name.last() - 1);
        } else {
            int ends = name.size() - (name.get(name.size() - 2) == 0 ? 2 : 1);
            trap.setEnterprise(new OID(name.getValue(), 0, ends));
            trap.setGenericTrap(PDUv1.ENTERPRISE_SPECIFIC);
            trap.setSpecificTrap(name.last());
        }
        return trap;
    }

    /** Answers Get, GetNext, GetBulk and Set of a few objects; tells of traps and informs, and acknowledges these. */
    private final class Responder implements CommandResponder {
        @Override
        public <A extends Address> void processPdu(CommandResponderEvent<A> event) {
            PDU pdu = event.getPDU();
            if (pdu == null) {
                return;
            }
            event.setProcessed(true);
            int type = pdu.getType();
            if (type == PDU.TRAP || type == PDU.V1TRAP || type == PDU.INFORM) {
                if (listening) {
                    String name = new OctetString(event.getSecurityName()).toString();
                    say("received " + PDU.getTypeString(type) + " " + (event.getMessageProcessingModel()) + " "
                        + event.getSecurityLevel() + ":" + name + " " + words(pdu.getVariableBindings()));
                }
                if (type == PDU.INFORM) {
                    respond(event, (PDU) pdu.clone(), PDU.noError, 0);
                }
                return;
            }
            if (type == PDU.SET) {
                set(event, (PDU) pdu.clone());
                return;
            }
            List<VariableBinding> values = new ArrayList<>();
            int repetitions = type == PDU.GETBULK ? pdu.getMaxRepetitions() : 1;
            for (VariableBinding asked : pdu.getVariableBindings()) {
                OID name = asked.getOid();
                for (int count = 0; count < repetitions; count++) {
                    VariableBinding value = value(type, name);
                    values.add(value);
                    name = value.getOid();
                }
            }
            PDU answer = (PDU) pdu.clone();
            for (int at = 0; event.getMessageProcessingModel() == SnmpConstants.version1 && at < values.size(); at++) {
                if (values.get(at).isException()) { // which SNMPv1 does not have
                    respond(event, answer, PDU.noSuchName, at + 1);
                    return;
                }
            }
            answer.setVariableBindings(values);
            respond(event, answer, PDU.noError, 0);
        }

        /** Writes all of what is served, or nothing. */
        private <A extends Address> void set(CommandResponderEvent<A> event, PDU answer) {
            for (int at = 0; at < answer.size(); at++) {
                if (!served.containsKey(answer.get(at).getOid())) {
                    boolean inVersion1 = event.getMessageProcessingModel() == SnmpConstants.version1;
                    respond(event, answer, inVersion1 ? PDU.noSuchName : PDU.notWritable, at + 1);
                    return;
                }
            }
            for (VariableBinding written : answer.getVariableBindings()) {
                served.put(written.getOid(), written.getVariable());
            }
            respond(event, answer, PDU.noError, 0);
        }

        private VariableBinding value(int type, OID name) {
            if (type == PDU.GET) {
                Variable value = served.get(name);
                return new VariableBinding(name, value == null ? Null.noSuchObject : value);
            }
            var next = served.higherEntry(name);
            return next == null
                ? new VariableBinding(name, Null.endOfMibView)
                : new VariableBinding(next.getKey(), next.getValue());
        }

        private <A extends Address> void respond(CommandResponderEvent<A> event, PDU answer, int status, int index) {
            answer.setType(PDU.RESPONSE);
            answer.setErrorStatus(status);
            answer.setErrorIndex(index);
            try {
                event.getMessageDispatcher().returnResponsePdu(event.getMessageProcessingModel(),
                    event.getSecurityModel(), event.getSecurityName(), event.getSecurityLevel(), answer,
                    event.getMaxSizeResponsePDU(), event.getStateReference(), new StatusInformation());
            } catch (MessageException error) {
                say("failed " + error);
            }
        }
    }
}
