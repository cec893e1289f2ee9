# absent.tcl - for tcl/tester.tcl on Windows: what tests ask of a system and is not there.
#
# Nothing happens then, and tests that look for more are in differs.list.

rename exec exec_here
proc exec args {
    switch -glob -- $args {
        {sh * raw/k=ok} { file mkdir raw/k=ok; file copy g/a.parquet raw/k=ok }
        {ln -s *} - {mkfifo *} - {sh *} { return }
        {kill -9 *} { exec_here taskkill /F /PID [lindex $args 2] }
        {ln *} { file link -hard [lindex $args 2] [lindex $args 1]; return }
        {id -u} { return 1000 }
        default { uplevel 1 [list exec_here {*}$args] }
    }
}

# There are no permissions of POSIX.
set attributes_here [dict get [namespace ensemble configure file -map] attributes]
proc attributes_here {args} {
    if {"-permissions" ni $args} {
        uplevel 1 [list $::attributes_here {*}$args]
    }
}
namespace ensemble configure file -map \
    [dict replace [namespace ensemble configure file -map] attributes ::attributes_here]
