# targets.mk - the machines that a release is for, and how each is built for.
#
# A target says its compilers, what OpenSSL calls it, and, where it is so:
#
#   GLIBC      the oldest glibc that it may need: old_glibc.sh
#   KERNEL     headers of the kernel, which its compiler does not have
#   CPPFLAGS   how the sources of the project are compiled
#   FILE       what is made, where that is not parquet.so
#   FLAGS      how the libraries are, OPENSSL_FLAGS what OpenSSL's Configure is told
#
# CXX compiles Snappy only, which calls memcpy, malloc and the like.  So for musl
# that is the compiler for glibc, whose C++ headers do not go with musl's.
#
# CODECS is the folder of what codecs.mk makes for TARGET.  Its name has a sum of
# all that decides what is in it, so worktrees can share RELEASE_CACHE.

TARGETS := linux-x64 linux-musl-x64 linux-arm64 windows-x64 macos-arm64

linux-x64.CC      := gcc
linux-x64.CXX     := g++
linux-x64.AR      := gcc-ar
linux-x64.OPENSSL := linux-x86_64
linux-x64.GLIBC   := 2.17

linux-arm64.CC      := aarch64-linux-gnu-gcc
linux-arm64.CXX     := aarch64-linux-gnu-g++
linux-arm64.AR      := aarch64-linux-gnu-gcc-ar
linux-arm64.OPENSSL := linux-aarch64
linux-arm64.GLIBC   := 2.17

linux-musl-x64.CC       := musl-gcc
linux-musl-x64.CXX      := g++
linux-musl-x64.AR       := gcc-ar
linux-musl-x64.OPENSSL  := linux-x86_64
linux-musl-x64.KERNEL   := /usr/include/linux /usr/include/asm-generic \
                           /usr/include/x86_64-linux-gnu/asm
linux-musl-x64.CPPFLAGS := -D_GNU_SOURCE= -include release/musl.h

windows-x64.CC      := x86_64-w64-mingw32-gcc-posix
windows-x64.CXX     := x86_64-w64-mingw32-g++-posix
windows-x64.AR      := x86_64-w64-mingw32-gcc-ar-posix
windows-x64.OPENSSL := mingw64
windows-x64.FILE    := parquet.dll

# macOS, by a clang that has its headers: release/macos.  zlib believes that an old
# Macintosh has no fdopen.
macos-arm64.CC      := release/macos/zig cc -target aarch64-macos.11.0
macos-arm64.CXX     := release/macos/zig c++ -target aarch64-macos.11.0
macos-arm64.AR      := release/macos/zig ar
macos-arm64.FLAGS   := -fno-sanitize=undefined -Dfdopen=fdopen
macos-arm64.OPENSSL := darwin64-arm64-cc
macos-arm64.OPENSSL_FLAGS := RANLIB=true
macos-arm64.CPPFLAGS := -D_GNU_SOURCE= -D_DARWIN_C_SOURCE= \
                        -fno-sanitize=undefined -Wno-enum-float-conversion
macos-arm64.FILE    := parquet.dylib

# WebAssembly, by Debian's emscripten: release/wasm.mk.  No code of it is moved, and there
# are no threads.
wasm.CC            := emcc
wasm.CXX           := em++
wasm.AR            := emar
wasm.FLAGS         := -fno-PIC
wasm.OPENSSL       := linux-generic32
# Without it ranlib of binutils takes the index out of the archive.
wasm.OPENSSL_FLAGS := no-threads no-asm RANLIB=emranlib

of_target      = $($(TARGET).$(1))
RELEASE_CACHE ?= build/release/cache
RELEASE_INPUT := release/codecs.mk release/sources.list \
                 $(sort $(wildcard release/*.sh release/*.c release/*.cc))
# The compiler is asked once.
CODECS         = $(eval CODECS := $(RELEASE_CACHE)/$(TARGET)-$(shell { cat $(RELEASE_INPUT); \
                   echo '$(foreach v,CC CXX AR FLAGS OPENSSL OPENSSL_FLAGS GLIBC KERNEL,$(call of_target,$v))'; \
                   $(call of_target,CC) --version; } | sha256sum | cut -c 1-12))$(CODECS)
