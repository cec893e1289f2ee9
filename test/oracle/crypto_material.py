"""Opens key material as parquet-java's FileKeyUnwrapper and Arrow's do, with a client
for the key management service that is written as a user of pyarrow writes it.

    class KmsClient: wrapped keys and names of master keys -> keys
    open_material(metadata, path, client) -> Material

Every member of the JSON is checked: those that have to be there, and no others.
"""
import base64
import json
import os

from crypto_file import gcm_open

FOOTER = "footerKey"
COLUMN = "columnKey"


def beside(path):
    folder, name = os.path.split(path)
    return os.path.join(folder, "_KEY_MATERIAL_FOR_%s.json" % name)


class KmsClient:
    """LocalWrapKmsClient: the master keys are here, in a dict."""

    def __init__(self, master_keys):
        self.master_keys = master_keys
        self.nonces = []

    def unwrap_key(self, wrapped_key, master_key_identifier):
        wrap = json.loads(wrapped_key)
        assert sorted(wrap) == ["encryptedKey", "masterKeyVersion"], wrap
        assert wrap["masterKeyVersion"] == "NO_VERSION"
        return self.open(wrap["encryptedKey"],
                         self.master_keys[master_key_identifier],
                         master_key_identifier.encode())

    def open(self, encoded, key, aad):
        sealed = base64.b64decode(encoded, validate=True)
        self.nonces.append(sealed[:12])
        return gcm_open(key, sealed[:12], aad, sealed[12:])


class Material:
    """key: its bytes; master: the name of the master key; said: the members;
    reference: of the file beside, or None; kek: the KEK's ID, or None."""


def members(said, reference):
    """Those that this kind of material has."""
    out = {"keyMaterialType", "isFooterKey", "masterKeyID", "wrappedDEK",
           "doubleWrapping"}
    if reference is None:
        out.add("internalStorage")
    if said.get("isFooterKey"):
        out |= {"kmsInstanceID", "kmsInstanceURL"}
    if said.get("doubleWrapping"):
        out |= {"keyEncryptionKeyID", "wrappedKEK"}
    return out


def open_material(metadata, path, client):
    said, out = json.loads(metadata), Material()
    out.reference = out.kek = None
    if not said["internalStorage"]:
        assert set(said) == {"keyMaterialType", "internalStorage",
                             "keyReference"}, said
        out.reference = said["keyReference"]
        with open(beside(path)) as f:
            said = json.loads(json.load(f)[out.reference])
    assert said["keyMaterialType"] == "PKMT1", said
    assert set(said) == members(said, out.reference), said
    for name, v in said.items():
        assert type(v) is (bool if name in (
            "internalStorage", "isFooterKey", "doubleWrapping") else str), said
        assert v != "", said
    out.said, out.master = said, said["masterKeyID"]
    if said["doubleWrapping"]:
        kek = client.unwrap_key(said["wrappedKEK"], out.master)
        out.kek = base64.b64decode(said["keyEncryptionKeyID"], validate=True)
        out.key = client.open(said["wrappedDEK"], kek, out.kek)
        client.nonces.pop(0)         # the KEK is wrapped once for many files
        assert len(kek) == len(client.master_keys[out.master])
    else:
        out.key = client.unwrap_key(said["wrappedDEK"], out.master)
    assert len(out.key) == len(client.master_keys[out.master])
    return out
