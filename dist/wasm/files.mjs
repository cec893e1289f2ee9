/*
** files.mjs - files of the browser as files of the module: sqlite3.parquet.
**
** The module has a file system in memory.  A file there may have its bytes elsewhere:
**
**   blob     a File or Blob; each read takes a slice of it, by FileReaderSync
**   OPFS     a file of the origin, by a handle that reads and writes at once
**
** So of a dropped file of gigabytes only what a query needs comes into memory.  Both need
** a worker, for a page may not wait.  Elsewhere a Blob is copied into memory first.
*/
const FOLDER = '/files';

export function filesOf(module) {
  const { FS } = module;
  const EIO = 29;
  let serial = 0;

  /* A node whose bytes are in store: read(at, n), size(), and, if it can be
  ** written, write(at, bytes), truncate(size), flush(). */
  function put(path, store) {
    remove(path);
    FS.mkdirTree(path.slice(0, path.lastIndexOf('/')) || '/');
    const node = FS.create(path, store.write ? 0o666 : 0o444);
    const inMemory = node.stream_ops;
    const guarded = (work) => {
      try {
        return work();
      } catch (e) {
        console.warn(`${path}: ${e.message}`);
        throw new FS.ErrnoError(EIO);
      }
    };

    FS.close(FS.streams.find((s) => s?.node === node) ?? node);
    node.timestamp = store.time ?? Date.now();
    Object.defineProperty(node, 'usedBytes', { get: () => store.size(), set() {} });
    node.stream_ops = {
      llseek: inMemory.llseek,
      read(stream, buffer, offset, length, position) {
        const n = Math.max(0, Math.min(length, store.size() - position));
        return n && guarded(() => {
          const bytes = store.read(position, n);
          buffer.set(bytes, offset);
          return bytes.length;
        });
      },
      write(stream, buffer, offset, length, position) {
        return guarded(() => {
          node.timestamp = Date.now();
          return store.write(position, buffer.slice(offset, offset + length));
        });
      },
      fsync: () => guarded(() => store.flush?.()) ?? 0,
    };
    node.node_ops = {
      ...node.node_ops,
      setattr(of, attr) {
        if (attr.size !== undefined) {
          guarded(() => store.truncate(attr.size));
        }
        of.mode = attr.mode ?? of.mode;
        of.timestamp = attr.timestamp ?? of.timestamp;
      },
    };
    return path;
  }

  function remove(path) {
    if (FS.analyzePath(path).exists) {
      FS.unlink(path);
    }
  }

  function ofBlob(blob) {
    const reader = new FileReaderSync();

    return {
      size: () => blob.size,
      time: blob.lastModified,
      read: (at, n) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(at, at + n))),
    };
  }

  function ofHandle(handle) {
    return {
      size: () => handle.getSize(),
      flush: () => handle.flush(),
      truncate: (size) => handle.truncate(size),
      write: (at, bytes) => handle.write(bytes, { at }),
      read(at, n) {
        const bytes = new Uint8Array(n);
        return bytes.subarray(0, handle.read(bytes, { at }));
      },
    };
  }

  async function opfsFile(name, create) {
    const parts = name.split('/').filter(Boolean);
    let folder = await navigator.storage.getDirectory();

    for (const part of parts.slice(0, -1)) {
      folder = await folder.getDirectoryHandle(part, { create });
    }
    return folder.getFileHandle(parts.at(-1), { create });
  }

  const handles = new Map();

  /* Opens a file of OPFS for this worker alone, until closeOpfs. */
  async function openOpfs(name, create = true) {
    const path = `/opfs/${name.replace(/^\/+/, '')}`;

    if (!handles.has(path)) {
      const handle = await (await opfsFile(name, create)).createSyncAccessHandle();
      handles.set(path, handle);
      put(path, ofHandle(handle));
    }
    return path;
  }

  return {
    /* A File, a Blob or bytes become a file, whose path this gives. */
    async mount(data, name = data.name ?? `blob-${++serial}.parquet`) {
      const path = name.startsWith('/') ? name : `${FOLDER}/${name}`;

      if (data instanceof Blob && typeof FileReaderSync !== 'undefined') {
        return put(path, ofBlob(data));
      }
      const bytes = data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data;
      FS.mkdirTree(path.slice(0, path.lastIndexOf('/')) || '/');
      FS.writeFile(path, bytes);
      return path;
    },

    /* The bytes of a file, such as one that a copy wrote. */
    read: (path) => FS.readFile(path),
    exists: (path) => FS.analyzePath(path).exists,
    remove,

    openOpfs,
    closeOpfs(path) {
      handles.get(path)?.close();
      handles.delete(path);
      remove(path);
    },

    /* The path of a database in OPFS.  Its journal has a place there as well, so it must
    ** stay in rollback mode: PRAGMA journal_mode = TRUNCATE, which sqlite3.mjs says. */
    async openOpfsDb(name) {
      await openOpfs(`${name}-journal`);
      return openOpfs(name);
    },

    /* A file of the module's file system becomes one of OPFS. */
    async save(path, name) {
      const handle = await (await opfsFile(name, true)).createSyncAccessHandle();
      try {
        const bytes = FS.readFile(path);
        handle.truncate(0);
        handle.write(bytes, { at: 0 });
        handle.flush();
        return bytes.length;
      } finally {
        handle.close();
      }
    },
  };
}
