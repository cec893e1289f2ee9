# served.tcl - for tester.tcl, when every local file is read from a server (served.c).
#
# What a connection answers has the names of local files again.

# The paths of files on the server as those of the local files that it serves.
proc as_local {text} {
    set url $::env(PARQUET_SERVED)/(cwd|dot|root)/
    append url {([-A-Za-z0-9_.~/%=]*)}
    set local [dict create cwd {} dot ./ root /]
    while {[regexp -indices $url $text all at key]} {
        set name [encoding convertfrom utf-8 [subst -nocommands -novariables \
            [regsub -all {%(..)} [string range $text {*}$key] {\\u00\1}]]]
        set text [string replace $text {*}$all \
            [dict get $local [string range $text {*}$at]]$name]
    }
    return [string map {s3://cwd/ {} s3://dot/ ./ s3://root/ /} $text]
}

# What a connection answers, with such paths.  A second one of the name ends the first,
# as sqlite3 does it.
proc serve_db {name} {
    catch {rename served_$name {}}
    rename $name served_$name
    proc $name args {
        set db [lindex [info level 0] 0]
        set failed [catch {uplevel 1 [list served_$db {*}$args]} got options]
        if {[lindex $args 0] eq "close"} {
            rename $db {}
        }
        if {[string first :// $got] >= 0} {
            set got [expr {!$failed && [lindex $args 0] eq "eval"
                               ? [lmap x $got {as_local $x}] : [as_local $got]}]
        }
        dict incr options -level
        return -options $options $got
    }
}
