"""Protected messages by signxml, which has XML Signature, and cryptography: EncryptedData is read and made by hand.

One command in each line of standard input, one answer in each of standard output, as in peers/xmlsec/Protected.java. signxml verifies
public keys by certificates only, and refuses SHA-1: HMAC over SHA-256 is what both have.
"""

import base64
import os
import sys

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from lxml import etree
from signxml import SignatureConfiguration, SignatureMethod, XMLSigner, XMLVerifier

OWN = "{urn:trunkline:params:xml:ns:protected:1.0}"
XENC = "{http://www.w3.org/2001/04/xmlenc#}"
DSIG = "{http://www.w3.org/2000/09/xmldsig#}"


def decrypt(uri, key, value):
    if uri.endswith("gcm"):
        return AESGCM(key).decrypt(value[:12], value[12:], None)
    decryptor = Cipher(algorithms.AES(key), modes.CBC(value[:16])).decryptor()
    plain = decryptor.update(value[16:]) + decryptor.finalize()
    return plain[: -plain[-1]]


def encrypt(uri, key, content):
    if uri.endswith("gcm"):
        vector = os.urandom(12)
        return vector + AESGCM(key).encrypt(vector, content, None)
    vector = os.urandom(16)
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    return vector + encryptor.update(padder.update(content) + padder.finalize()) + encryptor.finalize()


def opened(method, key, cipher, cipher_key, message):
    # nothing is read but what signxml says is signed
    expect = SignatureConfiguration(require_x509=False, signature_methods=frozenset({SignatureMethod(method)}))
    signed = XMLVerifier().verify(message, hmac_key=key, expect_config=expect).signed_xml
    if cipher == "-":
        return etree.tostring(signed.find(OWN + "content")[0], method="c14n", exclusive=True)
    return decrypt(cipher, cipher_key, base64.b64decode(signed.find(".//" + XENC + "CipherValue").text))


def sealed(method, key, cipher, cipher_key, name, cipher_name, header, content):
    message = etree.fromstring(header)
    if cipher == "-":
        etree.SubElement(message, OWN + "content").append(etree.fromstring(content))
    else:
        data = etree.SubElement(message, XENC + "EncryptedData")
        etree.SubElement(data, XENC + "EncryptionMethod", Algorithm=cipher)
        etree.SubElement(etree.SubElement(data, DSIG + "KeyInfo"), DSIG + "KeyName").text = cipher_name
        value = etree.SubElement(etree.SubElement(data, XENC + "CipherData"), XENC + "CipherValue")
        value.text = base64.encodebytes(encrypt(cipher, cipher_key, content)).decode()
    signer = XMLSigner(signature_algorithm=SignatureMethod(method), c14n_algorithm="http://www.w3.org/2001/10/xml-exc-c14n#")
    signed = signer.sign(message, key=key)
    # of an HMAC's key signxml writes no name; it is not a part of what is signed
    etree.SubElement(etree.SubElement(signed.find(DSIG + "Signature"), DSIG + "KeyInfo"), DSIG + "KeyName").text = name
    return etree.tostring(signed)


def answer(line):
    do, method, key, cipher, cipher_key, *rest = line.split(" ")
    decode = base64.b64decode
    if do == "open":
        return opened(method, decode(key), cipher, decode(cipher_key), decode(rest[0]))
    name, cipher_name, header, content = rest
    return sealed(method, decode(key), cipher, decode(cipher_key), name, cipher_name, decode(header), decode(content))


for line in sys.stdin:
    try:
        print("ok", base64.b64encode(answer(line.rstrip("\n"))).decode(), flush=True)
    except Exception as error:
        print("error", repr(error).replace("\n", " "), flush=True)
