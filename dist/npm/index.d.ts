/** A connection of better-sqlite3, node:sqlite or npm's sqlite3. */
export interface Db {
  loadExtension(file: string, ...more: any[]): any
}

/** The path of parquet.so for this machine. Throws where there is none. */
export declare function getLoadablePath(): string

/** Loads the extension into a connection: db.loadExtension(getLoadablePath()). */
export declare function load(db: Db): void
