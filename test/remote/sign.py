#!/usr/bin/env python3
"""sign.py - botocore asks for random objects, and we have to ask for the same.

  sign.py PROGRAM [CASES [SEED]]

Amazon's own client for Python makes each request and signs it, and nothing is sent:
the request is taken from it before.  PROGRAM (sign_lines.c) gets bucket, key, query,
secrets and time, and must come to the same URL and the same signature.  Keys have
everything that other signers stumble over: '=', '+', '%', blanks, "//", UTF-8, '~',
what looks like a query or a fragment.  Nothing of a request is compared with an
expectation of ours.

botocore comes from python3-botocore; without it the suite is skipped.
"""
import calendar
import json
import random
import re
import subprocess
import sys
import time
from urllib.parse import unquote, urlsplit

try:
    import botocore.awsrequest
    import botocore.session
    from botocore.config import Config
except ImportError:
    print('without botocore: no signature is compared')
    print('sign: 0 passed, 0 failed, 1 skipped')
    sys.exit(0)

PIECES = ['a', 'Z', '0', '=', '+', ' ', '%', '/', '//', '%20', '%2F', '%3d', '~', '-',
          '_', '.', '*', "'", '(', ')', '!', '$', '&', ',', ';', ':', '@', '?', '#',
          '[', ']', '{', '}', '|', '\\', '^', '`', '"', '<', '>', '\u00e9', '\u00df',
          '\u6f22\u5b57', '\U0001f600', 'e\u0301', 'year=2024/month=01/', 'x.parquet',
          '\t', '\x01', '\x7f', '\n', '  ', '=/=', '&a=b', '?x-id=1']
OWN = ('host', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token',
       'x-amz-request-payer')


def key_of(rng):
    """A text without a part that is "." or "..", which we do not ask for."""
    while True:
        key = ''.join(rng.choice(PIECES) for _ in range(rng.randint(1, 12)))
        if not re.search(r'(^|[/\\])\.\.?([/\\;]|$)', key):
            return key


def token_of(rng):
    letters = 'ABCdef0189+/='
    return ''.join(rng.choice(letters) for _ in range(rng.choice((20, 40, 70, 900))))


def config(s3):
    """Newer ones send bodies in chunks, with checksums after them, unless told not to."""
    try:
        return Config(s3=s3, request_checksum_calculation='when_required')
    except TypeError:
        return Config(s3=s3)


class Judge:
    """A client of botocore whose requests do not leave it."""

    def __init__(self, rng):
        self.region = rng.choice(('us-east-1', 'eu-west-1', 'cn-north-1', 'auto'))
        self.endpoint = rng.choice(('', '', 'localhost:9000', 'a.example.org',
                                    '127.0.0.1:443', '[::1]:9000'))
        if self.region == 'auto' and not self.endpoint:
            self.endpoint = 'r2.example.org'
        self.plain = bool(self.endpoint) and rng.random() < 0.5
        self.path_style = bool(self.endpoint) or rng.random() < 0.3
        self.secrets = (token_of(rng), token_of(rng), rng.choice(('', token_of(rng))))
        url = 'http%s://%s' % ('' if self.plain else 's', self.endpoint)
        style = 'path' if self.path_style else 'virtual'
        self.client = botocore.session.Session().create_client(
            's3', region_name=self.region, endpoint_url=url if self.endpoint else None,
            aws_access_key_id=self.secrets[0], aws_secret_access_key=self.secrets[1],
            aws_session_token=self.secrets[2] or None,
            config=config({'addressing_style': style, 'payload_signing_enabled': True,
                           'us_east_1_regional_endpoint': 'regional'}))
        self.client.meta.events.register('before-send.s3', self.take)
        self.sent = None

    def secret(self, payer):
        """As parquet_secret takes it."""
        return json.dumps(dict(
            key_id=self.secrets[0], secret=self.secrets[1],
            session_token=self.secrets[2] or None, region=self.region,
            endpoint=self.endpoint or None, use_ssl=not self.plain,
            url_style='path' if self.path_style else 'vhost', requester_pays=payer))

    def take(self, request, **kwargs):
        self.sent = request
        return botocore.awsrequest.AWSResponse(request.url, 404, {}, Raw())

    def ask(self, operation, **params):
        try:
            getattr(self.client, operation)(**params)
        except botocore.exceptions.ClientError:
            pass
        return self.sent


class Raw:
    def stream(self, **kwargs):
        return iter(())


def question(rng):
    """An operation, its parameters, key, body."""
    bucket = rng.choice(('bucket', 'b-1', 'with.dot', 'x' * 63))
    payer = {'RequestPayer': 'requester'} if rng.random() < 0.2 else {}
    kind = rng.randrange(6)
    key = key_of(rng)
    if kind == 0:
        return 'list_objects_v2', dict(
            payer, Bucket=bucket, Prefix=key_of(rng), Delimiter='/', EncodingType='url',
            ContinuationToken=key_of(rng), MaxKeys=7), bucket, '', b''
    named = dict(payer, Bucket=bucket, Key=key)
    if kind == 1:
        return 'head_object', named, bucket, key, b''
    if kind == 2:
        body = rng.randbytes(rng.choice((0, 1, 1000)))
        return 'put_object', dict(named, Body=body), bucket, key, body
    if kind == 3:
        body = rng.randbytes(500)
        return 'upload_part', dict(named, Body=body, PartNumber=3,
                                   UploadId=key_of(rng)), bucket, key, body
    if kind == 4:
        return 'delete_object', named, bucket, key, b''
    return 'get_object', dict(named, Range='bytes=0-9', IfMatch='"a b"'), bucket, key, b''


def text(v):
    return v.decode('latin-1') if isinstance(v, bytes) else v


def pairs(items):
    return b''.join(n.encode() + b'\0' + v.encode() + b'\0' for n, v in items)


def unquoted(query):
    """The pairs of a query, decoded."""
    return [(unquote(n), unquote(v)) for n, _, v in
            (part.partition('=') for part in query.split('&') if part)]


def line_of(judge, sent, bucket, key, body):
    headers = {n.lower(): text(v) for n, v in sent.headers.items()}
    names = re.search('SignedHeaders=([^,]*)', headers['authorization'])[1].split(';')
    stamp = time.strptime(headers['x-amz-date'], '%Y%m%dT%H%M%SZ')
    fields = [sent.method, 's3://%s/%s' % (bucket, key),
              pairs(sorted(unquoted(urlsplit(sent.url).query))),
              judge.secret('x-amz-request-payer' in headers),
              str(calendar.timegm(stamp)),
              pairs((n, headers[n]) for n in names if n not in OWN), body]
    return ''.join((f.encode() if isinstance(f, str) else f).hex() + '\t'
                   for f in fields) + '\n'


def place(url):
    """What a URL means; a query may be in any order."""
    u = urlsplit(url)
    return (u.scheme, u.hostname, u.port or (443 if u.scheme == 'https' else 80), u.path,
            sorted(u.query.split('&')))


def differs(sent, answer):
    """What is not the same in our answer."""
    url, *lines = answer
    ours = dict(line.split(': ', 1) for line in lines)
    theirs = {n.lower(): text(v) for n, v in sent.headers.items()}
    if place(url) != place(sent.url):
        return '%s, not %s' % (url, sent.url)
    for name, value in ours.items():
        if theirs.get(name.lower()) != value:
            return '%s: %s, not %s' % (name, value, theirs.get(name.lower()))
    return None if 'Authorization' in ours else 'no signature'


def main():
    program = sys.argv[1]
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    ours = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    passed = failed = 0
    for i in range(cases):
        if i % 100 == 0:
            judge = Judge(rng)
        operation, params, bucket, key, body = question(rng)
        sent = judge.ask(operation, **params)
        ours.stdin.write(line_of(judge, sent, bucket, key, body))
        ours.stdin.flush()
        answer = list(iter(lambda: ours.stdout.readline().rstrip('\n'), ''))
        wrong = differs(sent, answer) if answer else 'the program ended'
        if wrong:
            failed += 1
            print('FAIL sign %d: %s %r\n     %s' % (i, operation, params, wrong))
            if failed == 20 or not answer:
                break
        else:
            passed += 1
    ours.stdin.close()
    ours.wait()
    if failed:
        print('    alone: python3 test/remote/sign.py %s %d %d' % (program, i + 1, seed))
    print('sign: %d passed, %d failed, 0 skipped' % (passed, failed))


if __name__ == '__main__':
    main()
