"""A certificate authority of our own, for one control plane and a week."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIFETIME = dt.timedelta(days=7)
CLOCK_SLACK = dt.timedelta(hours=1)
SERVED_NAMES = ("localhost", "kubernetes.default.svc", "kueue-webhook-service.kueue-system.svc")


def write_certificates(folder: Path) -> None:
    """Write `ca.crt`, `tls.crt` and `tls.key` (for 127.0.0.1), and `accounts.key` (signs account tokens)."""
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = _name("gpuplan test authority")
    authority = (
        _certificate(authority_name, authority_name, authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    key = ec.generate_private_key(ec.SECP256R1())
    names = [*(x509.DNSName(name) for name in SERVED_NAMES), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    leaf = (
        _certificate(_name("127.0.0.1"), authority_name, key.public_key())
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ca.crt").write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    (folder / "tls.crt").write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    _write_key(folder / "tls.key", key)
    _write_key(folder / "accounts.key", ec.generate_private_key(ec.SECP256R1()))


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _certificate(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCK_SLACK)
        .not_valid_after(now + LIFETIME)
    )


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    # The API server reads a signing key in this older format only.
    form = serialization.PrivateFormat.TraditionalOpenSSL
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    path.chmod(0o600)
