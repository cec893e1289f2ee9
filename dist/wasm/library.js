/*
** library.js - what the module calls in JavaScript, for emcc --js-library.
**
** emscripten examines and duplicates an open file by its path, and gives times in seconds.
** Here it is the file itself, to the millisecond: a copy examines files that it has renamed,
** and whoever reads a file has to see that it was replaced.
*/
mergeInto(LibraryManager.library, {
  $examine__deps: ['$SYSCALLS'],
  $examine: function (give, path, buf) {
    var stat, rc;
    try {
      rc = SYSCALLS.doStat(function (at) { return stat = give(at); }, path, buf);
    } catch (e) {
      return -e.errno;
    }
    if (rc === 0) {
      var ns = (stat.mtime.getTime() % 1000) * 1000000;
      {{{ makeSetValue('buf', C_STRUCTS.stat.st_mtim.tv_nsec, 'ns', 'i32') }}};
      {{{ makeSetValue('buf', C_STRUCTS.stat.st_ctim.tv_nsec, 'ns', 'i32') }}};
    }
    return rc;
  },
  __syscall_stat64__deps: ['$examine'],
  __syscall_stat64: function (path, buf) {
    return examine(FS.stat, SYSCALLS.getStr(path), buf);
  },
  __syscall_lstat64__deps: ['$examine'],
  __syscall_lstat64: function (path, buf) {
    return examine(FS.lstat, SYSCALLS.getStr(path), buf);
  },
  __syscall_fstat64__deps: ['$examine'],
  __syscall_fstat64: function (fd, buf) {
    var stream = FS.getStream(fd);
    return !stream ? -{{{ cDefine('EBADF') }}} : examine(function () {
      return stream.node.node_ops.getattr(stream.node);
    }, '', buf);
  },

  __syscall_fcntl64__deps: ['$SYSCALLS'],
  __syscall_fcntl64: function (fd, command, args) {
    var stream = FS.getStream(fd);
    SYSCALLS.varargs = args;
    if (!stream) {
      return -{{{ cDefine('EBADF') }}};
    }
    switch (command) {
      case {{{ cDefine('F_DUPFD') }}}:
      case 1030:                           // F_DUPFD_CLOEXEC
        return FS.createStream({
          node: stream.node, path: stream.path, flags: stream.flags, seekable: true,
          position: 0, stream_ops: stream.stream_ops, ungotten: [], error: false,
        }, SYSCALLS.get()).fd;
      case {{{ cDefine('F_GETFL') }}}:
        return stream.flags;
      case {{{ cDefine('F_GETLK') }}}:     // nobody else has a lock
        HEAP16[SYSCALLS.get() >> 1] = {{{ cDefine('F_UNLCK') }}};
        return 0;
      default:
        return 0;
    }
  },

  /* emscripten takes 32 bits of an offset, so it would read elsewhere in a file of gigabytes. */
  $atOffset__deps: ['$SYSCALLS'],
  $atOffset: function (work, fd, iov, n, offset, done) {
    try {
      {{{ makeSetValue('done', 0, 'work(SYSCALLS.getStreamFromFD(fd), iov, n, Number(offset))', 'i32') }}};
      return 0;
    } catch (e) {
      if (!(e instanceof FS.ErrnoError)) {
        throw e;
      }
      return e.errno;
    }
  },
  fd_pread__deps: ['$atOffset'],
  fd_pread: function (fd, iov, n, offset, done) {
    return atOffset(SYSCALLS.doReadv, fd, iov, n, offset, done);
  },
  fd_pwrite__deps: ['$atOffset'],
  fd_pwrite: function (fd, iov, n, offset, done) {
    return atOffset(SYSCALLS.doWritev, fd, iov, n, offset, done);
  },

  pq_browser_can_ask: function () {
    return typeof XMLHttpRequest !== 'undefined' && typeof importScripts !== 'undefined';
  },

  /* See core/remote/http_browser.c. */
  pq_browser_ask: function (method, url, headers, nHeaders, body, nBody, most, ms, out, why, room) {
    var request = new XMLHttpRequest();
    var refused = ['expect', 'user-agent', 'accept-encoding', 'host', 'content-length'];
    var copy = function (bytes) {
      var p = _malloc(bytes.length + 1);
      if (p) {
        HEAPU8.set(bytes, p);
        HEAPU8[p + bytes.length] = 0;
      }
      return p;
    };
    try {
      request.open(UTF8ToString(method), UTF8ToString(url), false);
      request.responseType = 'arraybuffer';
      request.timeout = ms;
      for (var i = 0; i < nHeaders; i++) {
        var line = UTF8ToString(HEAPU32[(headers >> 2) + i]);
        var colon = line.indexOf(':');
        if (refused.indexOf(line.slice(0, colon).toLowerCase()) < 0) {
          request.setRequestHeader(line.slice(0, colon), line.slice(colon + 1).trim());
        }
      }
      request.send(nBody ? HEAPU8.slice(body, body + nBody) : null);
      var bytes = new Uint8Array(request.response || 0);
      var some = bytes.subarray(0, most);
      var lines = request.getAllResponseHeaders().replace(/\r/g, '').replace(/: /g, ':');
      var copied = [copy(some), copy(new TextEncoder().encode(lines))];
      HEAPU32[out >> 2] = copied[0];       // after copy, which may move the heap
      HEAPU32[(out >> 2) + 1] = some.length;
      HEAPU32[(out >> 2) + 2] = copied[1];
      HEAPU8[out + 12] = some.length < bytes.length ? 1 : 0;
      return request.status;
    } catch (e) {
      stringToUTF8('the browser says: ' + e.message + ' Does the server allow this origin (CORS),'
        + ' the headers Range and If-Match, and expose ETag and Content-Range?', why, room);
      return 0;
    }
  },
});
