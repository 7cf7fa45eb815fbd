"""The journal's tables, and the steps that bring an older file up to them."""

import sqlite3

# Step n brings a file from version n to n + 1. Never edit one that was released: add another.
MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE open_items (
        id TEXT PRIMARY KEY,
        topic TEXT NOT NULL,
        payload BLOB NOT NULL,
        received_at REAL NOT NULL,
        expires_at REAL NOT NULL,
        priority INTEGER NOT NULL,
        zones TEXT NOT NULL,
        content_type TEXT,
        state TEXT NOT NULL,
        part INTEGER NOT NULL,
        seal INTEGER NOT NULL
    );
    CREATE TABLE ended (
        id TEXT NOT NULL,
        topic TEXT NOT NULL,
        received_at REAL NOT NULL,
        ended_at REAL NOT NULL,
        priority INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        reason TEXT,
        zones TEXT NOT NULL,
        details TEXT NOT NULL,
        text BLOB,
        seal INTEGER NOT NULL
    );
    CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        topic TEXT NOT NULL,
        payload BLOB NOT NULL,
        qos INTEGER NOT NULL,
        retain INTEGER NOT NULL,
        expiry_s REAL,
        content_type TEXT,
        correlation BLOB,
        properties TEXT NOT NULL,
        queued_at REAL NOT NULL,
        seal INTEGER NOT NULL
    );
    """,
    """
    CREATE TABLE faults (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        code TEXT NOT NULL,
        raised_at REAL NOT NULL,
        cleared_at REAL,
        acked_at REAL,
        seal INTEGER NOT NULL
    );
    CREATE TABLE settings (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL,
        seal INTEGER NOT NULL
    );
    """,
)


def version_of(connection: sqlite3.Connection) -> int:
    """The version that a file says it has; 0 for a new one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: sqlite3.Connection, steps: tuple[str, ...] = MIGRATIONS) -> None:
    """Bring a file up to date, each step in a transaction of its own.

    Raises ValueError for a file that is newer than this program.
    """
    version = version_of(connection)
    if version > len(steps):
        raise ValueError(f"journal version {version}, this program knows {len(steps)}")
    for number in range(version, len(steps)):
        connection.executescript(
            f"BEGIN IMMEDIATE; {steps[number]} PRAGMA user_version = {number + 1}; COMMIT;"
        )


def schema_of(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Every table and index of a file with the words that made it."""
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def expected_schema(steps: tuple[str, ...]) -> set[tuple[str, ...]]:
    """What :func:`schema_of` gives of a file that these steps made."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, steps)
        return schema_of(connection)
    finally:
        connection.close()
