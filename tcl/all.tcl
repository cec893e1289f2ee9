# all.tcl - runs every *.test of this folder and adds up.
#
#   tclsh tcl/all.tcl                all of them
#   tclsh tcl/all.tcl values rowid   values.test and rowid.test
#   tclsh tcl/all.tcl -part 1/2      about half of them
#
# Each runs in an interpreter and an empty folder of its own.  A failure prints
# what was run, what came and what was wanted; a file that dies halfway counts
# as one failure more.  SO and PARQUET_TESTING say where the extension and the
# official sample files are.
package require Tcl 8.6
package require sqlite3

set here [file dirname [file normalize [info script]]]

proc environment {name default} {
    expr {[info exists ::env($name)] && $::env($name) ne {}
              ? $::env($name) : $default}
}
set so [file normalize [environment SO $here/../parquet.so]]
set official [file normalize \
    [environment PARQUET_TESTING $here/../../shared/parquet-testing]]

proc scratch_folder {} {
    set base [environment TMPDIR /tmp]
    for {set i 0} {$i < 100} {incr i} {
        set path [file join $base parquet-tcl-[pid]-$i]
        if {![file exists $path]} {
            file mkdir $path
            return $path
        }
    }
    error "no scratch folder in $base"
}

# {passed failed skipped} of one file.
proc run_file {test} {
    set scratch [scratch_folder]
    set before [pwd]
    interp create run
    interp eval run [list set here $::here]
    interp eval run [list set so $::so]
    interp eval run [list set official $::official]
    interp eval run [list set scratch $scratch]
    interp eval run [list set test_file [file rootname [file tail $test]]]
    cd $scratch
    set died [catch {
        interp eval run [list source -encoding utf-8 $::here/tester.tcl]
        interp eval run [list source -encoding utf-8 $test]
        interp eval run differs_end
    } message]
    if {$died} {
        puts "! [file tail $test] died: $message"
        puts "    alone:  tclsh tcl/all.tcl [file rootname [file tail $test]]"
        puts [interp eval run {set ::errorInfo}]
        if {![interp eval run {info exists counts}]} {
            interp eval run {array set counts {passed 0 failed 0 skipped 0}}
        }
        interp eval run {incr counts(failed)}
    }
    set counts [interp eval run {
        list $counts(passed) $counts(failed) $counts(skipped)
    }]
    interp delete run
    cd $before
    file delete -force $scratch
    return $counts
}

# Those that take seconds, the longest first, so that parts are about equal.
set long {remote_write order law unnest unnest_scan joins rollup keys summary encryption_write
    rollup_text rollup_corners copy schema copy_files rollup_lanes geo descriptors
    in copy_samples}

# Dealt out back and forth: 1 2 2 1 1 2 ...
proc part_of {tests part} {
    lassign [split $part /] nth parts
    set names [lmap test $tests {file rootname [file tail $test]}]
    set first [lmap name $::long {
        if {$name ni $names} continue
        set name
    }]
    set mine {}
    set i 0
    foreach name [concat $first [lmap name $names {
        if {$name in $first} continue
        set name
    }]] {
        set turn [expr {$i % $parts}]
        if {$i / $parts % 2} {
            set turn [expr {$parts - 1 - $turn}]
        }
        if {$turn == $nth - 1} {
            lappend mine [file join $::here $name.test]
        }
        incr i
    }
    return $mine
}

set tests [lsort [glob $here/*.test]]
if {[info exists env(PARQUET_SERVED)]} {           # these ask servers of their own
    set tests [lsearch -all -inline -not -glob $tests $here/remote*.test]
}
if {[lindex $argv 0] eq "-part"} {
    set tests [part_of $tests [lindex $argv 1]]
} elseif {$argc} {
    set tests [lmap name $argv {file join $here $name.test}]
}
lassign {0 0 0} passed failed skipped
foreach test $tests {
    lassign [run_file $test] p f s
    puts [format "%-24s %5d passed %3d failed %3d skipped" \
        [file tail $test] $p $f $s]
    incr passed $p
    incr failed $f
    incr skipped $s
}
puts "tcl: $passed passed, $failed failed, $skipped skipped"
exit [expr {$failed > 0}]
