"""Certificates for tests, made with the openssl command: an authority and what it signs."""

import shutil
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.broker import Tls

_CONFIG = """
[ca]
default_ca = authority
[authority]
database = {folder}/index.txt
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = anything
x509_extensions = server
unique_subject = no
[anything]
commonName = supplied
[server]
subjectAltName = IP:127.0.0.1,DNS:localhost
"""


@dataclass(frozen=True, slots=True)
class Authority:
    """A certificate authority in a folder of the test's."""

    folder: Path

    @property
    def certificate(self) -> Path:
        """What a client trusts."""
        return self.folder / "ca.crt"

    def sign(self, name: str, *, begins_in: timedelta, lasts: timedelta) -> Tls:
        """A certificate for 127.0.0.1; ``begins_in`` may lie in the past or in the future."""
        begin = datetime.now(UTC) + begins_in
        start, end = (f"{moment:%Y%m%d%H%M%SZ}" for moment in (begin, begin + lasts))
        key, request, certificate = (
            self.folder / f"{name}.{kind}" for kind in ("key", "csr", "crt")
        )
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
                 "-keyout", key, "-out", request)  # fmt: skip
        _openssl("ca", "-batch", "-config", self.folder / "ca.cnf", "-notext",
                 "-cert", self.certificate, "-keyfile", self.folder / "ca.key",
                 "-startdate", start, "-enddate", end,
                 "-in", request, "-out", certificate)  # fmt: skip
        return Tls(self.certificate, certificate, key)

    def valid(self, name: str = "broker") -> Tls:
        """A certificate that is good for a day."""
        return self.sign(name, begins_in=timedelta(hours=-1), lasts=timedelta(days=1))

    def expired(self) -> Tls:
        """One whose time is over."""
        return self.sign("old", begins_in=timedelta(days=-9), lasts=timedelta(days=1))

    def not_yet_valid(self) -> Tls:
        """One whose time has not come; a box without a clock sees all of them so."""
        return self.sign("new", begins_in=timedelta(days=9), lasts=timedelta(days=1))


def make_authority(folder: Path) -> Authority:
    """A new authority in ``folder``."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: apt install openssl")
    (folder / "ca.cnf").write_text(_CONFIG.format(folder=folder))
    (folder / "index.txt").write_text("")
    _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=tests", "-days", "2",
             "-addext", "keyUsage=critical,keyCertSign,cRLSign",
             "-keyout", folder / "ca.key", "-out", folder / "ca.crt")  # fmt: skip
    return Authority(folder)


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
