#!/usr/bin/env bash
# openssl.sh NAME SOURCES FOLDER FLAGS... - FOLDER/lib/libcrypto.a and its headers.
#
# NAME is what OpenSSL calls the target.  All is left out that can be: no- options.
# What cannot is RSA, ASN.1 and so on, which the default provider refers to by its
# tables; the linker leaves them out, because openssl_provider.c takes the place of
# these tables.  Assembler and its choice by the processor stay.
set -eu
name=$1 sources=$2 folder=$(realpath "$3")
shift 3
case $CC in release/*) CC=$PWD/$CC AR=$PWD/$AR ;; esac
build=$folder/obj/openssl
without=(shared tests engine dso module legacy async autoload-config autoerrinit
    tls dtls ssl-trace cms cmp ct ocsp ts srp psk srtp comp sock dgram ui-console
    aria bf blake2 camellia cast chacha cmac des dh dsa ec idea md4 mdc2 ocb
    poly1305 rc2 rc4 rmd160 scrypt seed siphash siv sm2 sm3 sm4 whirlpool gost
    multiblock rfc3779 deprecated filenames)

rm -rf "$build"
cp -r "$sources" "$build"
cp "$(dirname "$0")/openssl_provider.c" "$build/crypto/provider_predefined.c"
cd "$build"
{
    perl Configure "$name" "${without[@]/#/no-}" --prefix=/usr --openssldir=/etc/ssl "$@"
    MAKEFLAGS='' make -s build_generated
    # The library would say when it was built, and with which folders.
    SOURCE_DATE_EPOCH=0 perl util/mkbuildinf.pl "$name" >crypto/buildinf.h
    MAKEFLAGS='' make -s -j "$(nproc)" libcrypto.a
} >log 2>&1 || { tail -n 20 log >&2; exit 1; }
cp -r include/openssl "$folder/include"
cp libcrypto.a "$folder/lib"
rm -rf "$build"
