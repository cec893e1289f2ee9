"""Parquet files as tables of SQLite.

    import sqlite3
    import sqlite_parquet

    db = sqlite3.connect(":memory:")
    sqlite_parquet.load(db)
    db.execute("CREATE VIRTUAL TABLE temp.t USING parquet('trips.parquet')")

`path` is the extension's file, for programs that load it themselves:
`sqlite3 -cmd ".load $(python3 -m sqlite_parquet)"`.
"""

import os

__version__ = "0.0.0"
__all__ = ["load", "path"]

_folder = os.path.dirname(os.path.abspath(__file__))
path = next((os.path.join(_folder, name) for name in ("parquet.so", "parquet.dll", "parquet.dylib")
             if os.path.exists(os.path.join(_folder, name))), os.path.join(_folder, "parquet.so"))


def load(connection):
    """Loads the extension into a connection of sqlite3 or apsw, and returns that."""
    if not hasattr(connection, "enable_load_extension"):
        raise RuntimeError(
            "this Python's sqlite3 module was built without extensions, as pyenv's and macOS's "
            "are: use the system's python3, or python.org's; or pip install apsw, and load into "
            "an apsw.Connection")
    connection.enable_load_extension(True)
    try:
        connection.load_extension(path)
    finally:
        connection.enable_load_extension(False)
    return connection
