package trunkline;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;

import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

import org.snmp4j.TransportMapping;
import org.snmp4j.smi.Address;
import org.snmp4j.smi.DtlsAddress;
import org.snmp4j.smi.OctetString;
import org.snmp4j.smi.TlsAddress;
import org.snmp4j.transport.DTLSTM;
import org.snmp4j.transport.TLSTM;
import org.snmp4j.transport.tls.TlsTmSecurityCallback;
import org.snmp4j.transport.tls.X509TlsTransportMappingConfig;

/** TLS and DTLS of SNMP4J, with certificates and keys in PEM. */
final class Sessions implements TlsTmSecurityCallback<X509Certificate> {
    private static final String PASSWORD = "peer";
    private static final String OWN = "own";

    private Sessions() {
    }

    /** A transport on a free port, for both roles: tls or dtls, files of the certificate, its key and the authority. */
    static TransportMapping<? extends Address> open(String transport, String version, String certificate, String key,
            String authority) throws Exception {
        String store = store(certificate, key, authority);
        Sessions names = new Sessions();
        if (transport.equals("tls")) {
            return configured(new TLSTM(names, new TlsAddress("127.0.0.1/0")), store, version);
        }
        return configured(new DTLSTM(names, new DtlsAddress("127.0.0.1/0")), store, version);
    }

    private static <M extends X509TlsTransportMappingConfig> M configured(M mapping, String store, String version) {
        mapping.setKeyStore(store);
        mapping.setKeyStorePassword(PASSWORD);
        mapping.setTrustStore(store);
        mapping.setTrustStorePassword(PASSWORD);
        mapping.setLocalCertificateAlias(OWN);
        mapping.setProtocolVersions(new String[] {version});
        return mapping;
    }

    /** A file in the form that SNMP4J reads. */
    private static String store(String certificate, String key, String authority) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        Certificate[] chain = certificates(certificate).toArray(new Certificate[0]);
        store.setKeyEntry(OWN, key(key, chain[0].getPublicKey().getAlgorithm()), PASSWORD.toCharArray(), chain);
        int count = 0;
        for (Certificate trusted : certificates(authority)) {
            store.setCertificateEntry("authority" + count++, trusted);
        }
        Path file = Files.createTempFile("peer", ".store");
        file.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
        return file.toString();
    }

    private static Collection<? extends Certificate> certificates(String file) throws Exception {
        try (var in = Files.newInputStream(Path.of(file))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static PrivateKey key(String file, String algorithm) throws Exception {
        String text = Files.readString(Path.of(file)).replaceAll("-----[^-]+-----", "").replaceAll("\\s", "");
        PKCS8EncodedKeySpec key = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text));
        return KeyFactory.getInstance(algorithm).generatePrivate(key);
    }

    /** The common name. */
    @Override
    public OctetString getSecurityName(X509Certificate[] chain) {
        try {
            for (Rdn part : new LdapName(chain[0].getSubjectX500Principal().getName()).getRdns()) {
                if (part.getType().equalsIgnoreCase("CN")) {
                    return new OctetString(part.getValue().toString());
                }
            }
        } catch (javax.naming.InvalidNameException error) {
            return null;
        }
        return null;
    }

    /** Asked in addition to the check that an authority in the store has issued it. */
    @Override
    public boolean isClientCertificateAccepted(X509Certificate certificate) {
        return false;
    }

    @Override
    public boolean isServerCertificateAccepted(X509Certificate[] chain) {
        return true;
    }

    @Override
    public boolean isAcceptedIssuer(X509Certificate issuer) {
        return true;
    }

    @Override
    public String getLocalCertificateAlias(Address target) {
        return OWN;
    }
}
