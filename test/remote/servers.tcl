# servers.tcl - servers that a test starts, and that end with it.  See server.sh.
#
#   source test/remote/servers.tcl
#   set s [server_start nginx $folder]     a dict: url, https, ca_file, ...
#   server_stop $s

proc server_start {args} {
    set script [file join [file dirname $::server_script] server.sh]
    set pipe [open |[list bash $script {*}$args 2>@stderr] r+]
    set server [dict create pipe $pipe]
    while {[gets $pipe line] >= 0} {
        if {$line eq "ready"} {
            return $server
        }
        regexp {^([^=]*)=(.*)$} $line -> name value
        dict set server $name $value
    }
    close $pipe
    error "no server: $args"
}

proc server_stop {server} {
    catch {close [dict get $server pipe]}
}

set server_script [info script]
