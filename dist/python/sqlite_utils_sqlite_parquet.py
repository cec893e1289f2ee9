"""A plugin of sqlite-utils (3.34 and newer): its connections have the extension."""

from sqlite_utils import hookimpl

import sqlite_parquet


@hookimpl
def prepare_connection(conn):
    sqlite_parquet.load(conn)
