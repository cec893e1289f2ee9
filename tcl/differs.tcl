# differs.tcl - for tester.tcl, where tests cannot all say the same: on a server, on Windows.
#
# PARQUET_DIFFERS is a list of those that say something else there, and why:
#
#   FILE TEST | WHY      a file of tcl/, and names of its tests, with * for several
#
# They are skipped.  Why may begin with "not run: ", where it would do harm to try, and is
# "likewise" where it is that of the line before.  A line that no test needs is a failure.

# {pattern why} of this file.
proc read_differs {} {
    if {![info exists ::env(PARQUET_DIFFERS)]} {
        return
    }
    set f [open $::env(PARQUET_DIFFERS)]
    set lines [split [read $f] \n]
    close $f
    lmap line $lines {
        if {![regexp {^([^\s#]\S*) (.*?) +\| (.*)$} $line -> file pattern reason]} continue
        if {$reason ne "likewise"} { set why $reason }
        if {$file ne $::test_file} continue
        list $pattern $why
    }
}

set listed_here [read_differs]
set differed {}

# Does the list have the test, which says something else?
proc differs_here {name {reasons *}} {
    foreach line $::listed_here {
        lassign $line pattern why
        if {[string match $pattern $name] && [string match $reasons $why]} {
            dict set ::differed $pattern 1
            skip "$name: $why"
            return 1
        }
    }
    return 0
}

# At the end of a file.
proc differs_end {} {
    foreach line $::listed_here {
        lassign $line pattern why
        if {![dict exists $::differed $pattern]} {
            puts "! $::env(PARQUET_DIFFERS): no test of $::test_file.test that is like\
                $pattern differs"
            incr ::counts(failed)
        }
    }
}
