"""A plugin of Datasette: tables over Parquet files that a database has can be read.

Only the databases that the configuration names get the extension, because who may write
SQL there may also read every Parquet file that the server's process can:

    plugins:
      datasette-sqlite-parquet:
        databases: [trips]

Functions that write files, take keys and secrets, or allow addresses, are taken away.
"""

from datasette import hookimpl

import sqlite_parquet

# SQLITE_DIRECTONLY, which those have, and parquet_describe, which only reads.
_DIRECTONLY = 0x80000
_NOT_FOR_VISITORS = """SELECT DISTINCT name, narg FROM pragma_function_list
    WHERE name LIKE 'parquet~_%' ESCAPE '~' AND name <> 'parquet_describe' AND flags & ?"""


@hookimpl
def prepare_connection(conn, database, datasette):
    config = datasette.plugin_config("datasette-sqlite-parquet", database=database) or {}
    if database in config.get("databases", ()):
        sqlite_parquet.load(conn)
        for name, arguments in conn.execute(_NOT_FOR_VISITORS, (_DIRECTONLY,)).fetchall():
            conn.create_function(name, arguments, None)
