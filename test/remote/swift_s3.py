"""swift_s3.py - a server of S3 that checks signatures: Swift with its s3api, of this
distribution, all of it in one process.

    /usr/bin/python3 test/remote/swift_s3.py WORK PORT BUCKET [FOLDER]

WORK is an empty folder on a file system with extended attributes, where Swift keeps
its rings and objects.  The files of FOLDER are put into BUCKET first.  It prints
`ready` when it answers, and runs until it is killed.
"""
import os
import socket
import sys
from array import array
from urllib.parse import quote

import eventlet
import eventlet.wsgi
eventlet.monkey_patch()

from swift.account.server import AccountController            # noqa: E402
from swift.common.ring import RingData                        # noqa: E402
from swift.common.swob import Request                         # noqa: E402
from swift.common.utils import set_swift_dir                  # noqa: E402
from swift.common.wsgi import loadapp                         # noqa: E402
from swift.container.server import ContainerController        # noqa: E402
from swift.obj.server import ObjectController                 # noqa: E402

KEY_ID, SECRET, REGION = 'test:reader', 's3/cret+Key', 'eu-west-1'

PROXY = f'''
[DEFAULT]
swift_dir = {{work}}
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats bulk s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
node_timeout = 60
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:tempauth]
use = egg:swift#tempauth
user_test_reader = {SECRET} .admin
[filter:s3api]
use = egg:swift#s3api
location = {REGION}
storage_domain = localhost
dns_compliant_bucket_names = false
force_swift_request_proxy_log = true
'''


class Cache:
    """What Swift asks of memcached."""
    def __init__(self):
        self.values = {}

    def get(self, key, raise_on_error=False):
        return self.values.get(key)

    def set(self, key, value, **options):
        self.values[key] = value

    def delete(self, key, **options):
        self.values.pop(key, None)


def listener(port=0):
    return eventlet.listen(('127.0.0.1', port), backlog=128)


def serve(sock, app):
    with open(os.devnull, 'w') as nowhere:
        eventlet.wsgi.server(sock, app, log=nowhere, log_output=False,
                             max_size=200)


def start_backends(work):
    """Accounts, containers and objects: a ring of one device each."""
    conf = {'devices': f'{work}/devices', 'swift_dir': work, 'mount_check': 'false',
            'disable_fallocate': 'true'}
    os.makedirs(f'{work}/devices/one')
    for name, server in (('account', AccountController), ('container', ContainerController),
                         ('object', ObjectController)):
        sock = listener()
        port = sock.getsockname()[1]
        device = {'id': 0, 'zone': 0, 'region': 1, 'device': 'one', 'ip': '127.0.0.1',
                  'port': port, 'replication_ip': '127.0.0.1', 'replication_port': port,
                  'weight': 1}
        RingData([array('H', [0] * 4)], [device], 30).save(f'{work}/{name}.ring.gz')
        eventlet.spawn(serve, sock, server(conf))


def put(app, path, body=b''):
    request = Request.blank(quote(path), environ={'REQUEST_METHOD': 'PUT', 'swift.cache': Cache(),
                                           'swift.authorize_override': True,
                                           'swift.authorize': lambda req: None}, body=body)
    answer = request.get_response(app)
    if answer.status_int // 100 != 2:
        sys.exit(f'{path}: {answer.status}')


def main(work, port, bucket, folder=None):
    with open(f'{work}/swift.conf', 'w') as f:
        f.write('[swift-hash]\nswift_hash_path_suffix = test\n'
                '[storage-policy:0]\nname = one\ndefault = true\n')
    set_swift_dir(work)
    start_backends(work)
    with open(f'{work}/proxy-server.conf', 'w') as f:
        f.write(PROXY.format(work=work))
    app, cache = loadapp(f'{work}/proxy-server.conf'), Cache()
    inner = app._pipeline_final_app
    put(inner, f'/v1/AUTH_test/{bucket}')
    for at, _, names in os.walk(folder or os.devnull):
        for name in names:
            path = os.path.join(at, name)
            with open(path, 'rb') as f:
                put(inner, f'/v1/AUTH_test/{bucket}/{os.path.relpath(path, folder)}', f.read())

    def with_cache(environ, start_response):
        environ['swift.cache'] = cache
        return app(environ, start_response)

    sock = listener(int(port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    print('ready', flush=True)
    serve(sock, with_cache)


main(*sys.argv[1:])
