"""What a diagnostic does not say: passwords in URLs, and lines of a file with something that is named like a secret."""

from __future__ import annotations

import re

_NAMES = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "token",
        "credential",
        "credentials",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "accountkey",
        "sharedkey",
        "storagekey",
        "sastoken",
        "connectionstring",
        "dsn",
    ]
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
LOGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@")
_KEY = re.compile(r"([\w.-]+)[\"']?\s*[:=]\s*\S")

REDACTED = "[redacted]"


def is_secret_name(name: str) -> bool:
    """Whether the last words of ``name`` are those of a secret.

    >>> is_secret_name("dbPassword"), is_secret_name("API_KEY"), is_secret_name("password_policy")
    (True, True, False)
    """
    words = [word.lower() for word in _WORD.findall(name)]
    return any("".join(words[-count:]) in _NAMES for count in (1, 2) if len(words) >= count)


def without_logins(text: str) -> str:
    """The text without the passwords of its URLs.

    >>> without_logins("`https://me:hunter22@host/x.csv` is no local path")
    '`https://me:[redacted]@host/x.csv` is no local path'
    """
    return LOGIN.sub(lambda login: login[0].replace(f":{login[1]}@", f":{REDACTED}@"), text)


def holds_secret(line: str) -> bool:
    """Whether a line of a contract or configuration gives a value to something that is named like a secret, or holds a login.

    >>> holds_secret("metadata: { password: hunter22 }"), holds_secret("- { name: token, type: string }")
    (True, False)
    """
    return LOGIN.search(line) is not None or any(is_secret_name(key) for key in _KEY.findall(line))
