// Protected messages by Java's own XML security (javax.xml.crypto) and ciphers (javax.crypto): it has XML Signature, and of XML Encryption
// nothing, so that EncryptedData is read and made by hand. One command in each line of standard input, one answer in each of standard output:
//
//   open METHOD KEY CIPHER KEY MESSAGE                         -> ok CONTENT | error TEXT
//   seal METHOD KEY CIPHER KEY NAME NAME HEADER CONTENT        -> ok MESSAGE | error TEXT
//
// METHOD and CIPHER are URIs, CIPHER is `-` without encryption. A KEY is the octets of a secret, or a public key as SubjectPublicKeyInfo
// (open), or a private one as PKCS#8 (seal); HEADER is a message of a header alone. All of them, and what is answered, in base64.

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.security.Key;
import java.security.KeyFactory;
import java.security.SecureRandom;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import javax.xml.crypto.dsig.CanonicalizationMethod;
import javax.xml.crypto.dsig.Reference;
import javax.xml.crypto.dsig.SignedInfo;
import javax.xml.crypto.dsig.Transform;
import javax.xml.crypto.dsig.XMLSignature;
import javax.xml.crypto.dsig.XMLSignatureFactory;
import javax.xml.crypto.dsig.dom.DOMSignContext;
import javax.xml.crypto.dsig.dom.DOMValidateContext;
import javax.xml.crypto.dsig.keyinfo.KeyInfo;
import javax.xml.crypto.dsig.keyinfo.KeyInfoFactory;
import javax.xml.crypto.dsig.spec.C14NMethodParameterSpec;
import javax.xml.crypto.dsig.spec.TransformParameterSpec;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

public class Protected {
    static final String OWN = "urn:trunkline:params:xml:ns:protected:1.0";
    static final String XENC = "http://www.w3.org/2001/04/xmlenc#";
    static final XMLSignatureFactory FACTORY = XMLSignatureFactory.getInstance("DOM");

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null; ) {
            String[] of = line.split(" ");
            try {
                byte[] answer = of[0].equals("open") ? open(of) : seal(of);
                System.out.println("ok " + Base64.getEncoder().encodeToString(answer));
            } catch (Exception error) {
                System.out.println("error " + error.toString().replace('\n', ' '));
            }
            System.out.flush();
        }
    }

    static byte[] open(String[] of) throws Exception {
        Document document = parse(decode(of[5]));
        Element signature = element(document, XMLSignature.XMLNS, "Signature");
        DOMValidateContext context = new DOMValidateContext(key(of[1], decode(of[2]), true), signature);
        // Secure validation refuses SHA-1 since JDK 17.
        context.setProperty("org.jcp.xml.dsig.secureValidation", !of[1].endsWith("sha1"));
        if (!FACTORY.unmarshalXMLSignature(context).validate(context)) {
            throw new Exception("not valid");
        }
        if (of[3].equals("-")) {
            Node content = element(document, OWN, "content").getFirstChild();
            return print(content);
        }
        byte[] value = decode(element(document, XENC, "CipherValue").getTextContent().replaceAll("\\s", ""));
        boolean counter = of[3].endsWith("gcm");
        int vector = counter ? 12 : 16;
        Cipher cipher = cipher(of[3], Cipher.DECRYPT_MODE, decode(of[4]), Arrays.copyOf(value, vector));
        return cipher.doFinal(value, vector, value.length - vector);
    }

    static byte[] seal(String[] of) throws Exception {
        Document document = parse(decode(of[7]));
        Element message = document.getDocumentElement();
        if (of[3].equals("-")) {
            Element content = document.createElementNS(OWN, "content");
            content.appendChild(document.importNode(parse(decode(of[8])).getDocumentElement(), true));
            message.appendChild(content);
        } else {
            message.appendChild(encrypted(document, of));
        }
        // What was made by hand declares its namespaces only when it is printed and read again.
        document = parse(print(document));
        message = document.getDocumentElement();
        List<Transform> transforms = List.of(
            FACTORY.newTransform(Transform.ENVELOPED, (TransformParameterSpec) null),
            FACTORY.newTransform(CanonicalizationMethod.EXCLUSIVE, (TransformParameterSpec) null));
        String digest = of[1].endsWith("sha1") ? "http://www.w3.org/2000/09/xmldsig#sha1" : XENC + "sha256";
        Reference reference = FACTORY.newReference("", FACTORY.newDigestMethod(digest, null), transforms, null, null);
        SignedInfo info = FACTORY.newSignedInfo(
            FACTORY.newCanonicalizationMethod(CanonicalizationMethod.EXCLUSIVE, (C14NMethodParameterSpec) null),
            FACTORY.newSignatureMethod(of[1], null), List.of(reference));
        KeyInfoFactory names = FACTORY.getKeyInfoFactory();
        KeyInfo name = names.newKeyInfo(List.of(names.newKeyName(of[5])));
        FACTORY.newXMLSignature(info, name).sign(new DOMSignContext(key(of[1], decode(of[2]), false), message));
        return print(document);
    }

    static Element encrypted(Document document, String[] of) throws Exception {
        byte[] vector = new byte[of[3].endsWith("gcm") ? 12 : 16];
        new SecureRandom().nextBytes(vector);
        byte[] text = cipher(of[3], Cipher.ENCRYPT_MODE, decode(of[4]), vector).doFinal(decode(of[8]));
        byte[] value = Arrays.copyOf(vector, vector.length + text.length);
        System.arraycopy(text, 0, value, vector.length, text.length);
        Element data = document.createElementNS(XENC, "EncryptedData");
        Element method = child(data, XENC, "EncryptionMethod");
        method.setAttribute("Algorithm", of[3]);
        child(child(data, XMLSignature.XMLNS, "KeyInfo"), XMLSignature.XMLNS, "KeyName").setTextContent(of[6]);
        // In lines, as most libraries write it.
        child(child(data, XENC, "CipherData"), XENC, "CipherValue").setTextContent(Base64.getMimeEncoder().encodeToString(value));
        return data;
    }

    static Cipher cipher(String uri, int mode, byte[] key, byte[] vector) throws Exception {
        boolean counter = uri.endsWith("gcm");
        Cipher cipher = Cipher.getInstance(counter ? "AES/GCM/NoPadding" : "AES/CBC/ISO10126Padding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), counter ? new GCMParameterSpec(128, vector) : new IvParameterSpec(vector));
        return cipher;
    }

    static Key key(String method, byte[] octets, boolean opens) throws Exception {
        if (method.contains("#hmac")) {
            return new SecretKeySpec(octets, "HMAC");
        }
        KeyFactory factory = KeyFactory.getInstance(method.contains("ecdsa") ? "EC" : "RSA");
        return opens ? factory.generatePublic(new X509EncodedKeySpec(octets)) : factory.generatePrivate(new PKCS8EncodedKeySpec(octets));
    }

    static Document parse(byte[] octets) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(octets));
    }

    static byte[] print(Node node) throws Exception {
        Transformer transformer = TransformerFactory.newInstance().newTransformer();
        transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, node instanceof Document ? "no" : "yes");
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        transformer.transform(new DOMSource(node), new StreamResult(output));
        return output.toByteArray();
    }

    static Element element(Document document, String namespace, String name) {
        return (Element) document.getElementsByTagNameNS(namespace, name).item(0);
    }

    static Element child(Element parent, String namespace, String name) {
        return (Element) parent.appendChild(parent.getOwnerDocument().createElementNS(namespace, name));
    }

    static byte[] decode(String text) {
        return Base64.getDecoder().decode(text);
    }
}
