#!/usr/bin/env bash
# server.sh - a server for a test, until the standard input of this script ends.
#
#   server.sh proxy FOLDER|URL [NAME=VALUE ...]    proxy.mjs
#   server.sh nginx FOLDER      nginx, by http and https (HTTP/2), with a CA of its own;
#                               below /private/ the same files for a user with a password,
#                               who may PUT
#   server.sh s3 [FOLDER]       Swift's s3api, which checks signatures; the files of
#                               FOLDER are in the bucket
#
# It prints lines NAME=VALUE, then `ready`.  A test that crashes closes the input too, so
# no server is left behind.  servers.tcl and servers.bash start and stop it.
#
#   url=http://127.0.0.1:34567
#   https=https://localhost:34568      nginx
#   ca_file=/tmp/.../ca.pem            nginx
#   log=/tmp/.../requests              nginx: HTTP/2.0 GET /a.parquet bytes=-9 206
#   user=reader  password=...          nginx
#   key_id=...  secret=...  region=...  bucket=...     s3; with url_style=path, or with
#                                      vhost and the endpoint localhost:PORT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kind=$1
shift
work=$(mktemp -d)
child=
end() {
    trap - EXIT
    [ -z "$child" ] || kill "$child" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' TERM INT HUP

free_port() {
    /usr/bin/python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

answers() {                           # PORT: until somebody listens there
    local i
    for i in $(seq 200); do
        (: <>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
        kill -0 "$child" 2>/dev/null || break
        sleep 0.05
    done
    cat "$work/log" >&2
    return 1
}

make_ca() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=CA of a test" \
        -keyout "$work/ca.key" -out "$work/ca.pem"
    openssl req -newkey rsa:2048 -nodes -subj /CN=localhost \
        -keyout "$work/server.key" -out "$work/server.csr"
    openssl x509 -req -in "$work/server.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" \
        -set_serial 1 -days 2 -out "$work/server.pem" \
        -extfile <(echo subjectAltName=DNS:localhost,IP:127.0.0.1)
}

start_nginx() {
    local folder http https user=
    folder=$(cd "$1" && pwd)
    http=$(free_port) https=$(free_port)
    make_ca >"$work/log" 2>&1
    echo "reader:$(openssl passwd -apr1 'pass word:1')" >"$work/users"
    [ "$(id -u)" -ne 0 ] || user='user root;'
    cat >"$work/nginx.conf" <<END
$user
worker_processes 2;
daemon off;
pid $work/pid;
error_log $work/log;
events { worker_connections 512; }
http {
    log_format short '\$server_protocol \$request_method \$uri \$http_range \$status';
    access_log $work/requests short;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    client_max_body_size 0;
    server {
        listen 127.0.0.1:$http;
        listen 127.0.0.1:$https ssl http2;
        ssl_certificate $work/server.pem;
        ssl_certificate_key $work/server.key;
        location / { root "$folder"; }
        location /private/ {
            alias "$folder/";
            auth_basic private;
            auth_basic_user_file $work/users;
            dav_methods PUT DELETE;
        }
    }
}
END
    PATH=$PATH:/usr/sbin nginx -c "$work/nginx.conf" -e "$work/log" </dev/null >"$work/log" 2>&1 &
    child=$!
    answers "$https"
    printf '%s\n' "url=http://127.0.0.1:$http" "https=https://localhost:$https" \
        "ca_file=$work/ca.pem" "log=$work/requests" user=reader 'password=pass word:1'
}

start_s3() {
    local port
    port=$(free_port)
    mkdir "$work/swift"
    : >"$work/log"
    /usr/bin/python3 "$here/swift_s3.py" "$work/swift" "$port" data "$@" \
        </dev/null >"$work/log" 2>&1 &
    child=$!
    until grep -q '^ready' "$work/log"; do
        kill -0 "$child" 2>/dev/null || { cat "$work/log" >&2; return 1; }
        sleep 0.05
    done
    printf '%s\n' "url=http://127.0.0.1:$port" key_id=test:reader 'secret=s3/cret+Key' \
        region=eu-west-1 bucket=data
}

start_proxy() {
    mkfifo "$work/in"
    node "$here/proxy.mjs" "$@" <"$work/in" >"$work/log" &
    child=$!
    exec 3>"$work/in"
    until [ -s "$work/log" ]; do
        kill -0 "$child" 2>/dev/null || return 1
        sleep 0.02
    done
    echo "url=$(cat "$work/log")"
}

"start_$kind" "$@"
echo ready
exec 1>&-
cat >/dev/null
