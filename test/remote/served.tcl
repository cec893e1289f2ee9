# served.tcl - for tester.tcl, when every local file is read from a server (served.c).
#
# What a connection answers has the names of local files again.  served.list has the
# tests that say something else then, and why: they are skipped.

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

# Does the list have the test, which says something else?
proc differs_when_served {name {reasons *}} {
    foreach line $::served_list {
        lassign $line pattern why
        if {[string match $pattern $name] && [string match $reasons $why]} {
            dict set ::served_seen $pattern 1
            skip "$name: $why"
            return 1
        }
    }
    return 0
}

# At the end of a file: a line of the list without such a test is wrong, or not needed
# any more.
proc served_end {} {
    foreach line $::served_list {
        lassign $line pattern why
        if {![dict exists $::served_seen $pattern]} {
            puts "! served.list: no test of $::test_file.test that is like $pattern differs"
            incr ::counts(failed)
        }
    }
}

# {pattern why} of this file.
proc read_served_list {} {
    set f [open [file join $::here ../test/remote/served.list]]
    set lines [split [read $f] \n]
    close $f
    lmap line $lines {
        if {![regexp {^([^\s#]\S*) (.*?) +\| (.*)$} $line -> file pattern reason]} continue
        if {$reason ne "likewise"} { set why $reason }
        if {$file ne $::test_file} continue
        list $pattern $why
    }
}

set served_list [read_served_list]
set served_seen {}
