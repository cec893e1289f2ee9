# servers.bash - for a script: servers that end with it.  See server.sh.
#
#   . test/remote/servers.bash
#   server_start nginx "$folder"
#   echo "${server[https]} ${server[ca_file]}"
#   other=${server[pid]}          of the first, before a second is started
#   server_stop "$other"

declare -A server server_input
server_here=$(dirname "${BASH_SOURCE[0]}")

server_start() {                      # KIND ARGS: fills server[url], server[pid], ...
    local to from line work
    work=$(mktemp -d) && mkfifo "$work/to" "$work/from" || return 1
    bash "$server_here/server.sh" "$@" <"$work/to" >"$work/from" &
    server=([pid]=$!)
    exec {to}>"$work/to" {from}<"$work/from"
    rm -r "$work"
    server_input[${server[pid]}]=$to
    while read -r line <&"$from" && [ "$line" != ready ]; do
        server[${line%%=*}]=${line#*=}
    done
    exec {from}<&-
    [ "$line" = ready ]
}

server_stop() {                       # [PID]
    local pid=${1:-${server[pid]}} to
    to=${server_input[$pid]}
    exec {to}>&-
    wait "$pid"
}
