# tester.tcl - what every test file begins with: a database with the extension
# loaded, and the verbs.
#
#   do_test NAME SCRIPT WANTED           the result of a script
#   do_execsql_test NAME SQL WANTED      all values of all rows, NULL as "NULL"
#   do_catchsql_test NAME SQL WANTED     {0 {values}} or {1 {message}}
#
# WANTED is compared as a list; /regexp/ asks for a match with the text, and
# ~/regexp/ for none, as in SQLite's own tests.
package require sqlite3
source -encoding utf-8 [file join $here parquet_file.tcl]
source -encoding utf-8 [file join $here differs.tcl]
if {$tcl_platform(platform) eq "windows"} {
    source [file join $here ../test/windows/absent.tcl]
}
set served [info exists env(PARQUET_SERVED)]
if {$served} {
    source -encoding utf-8 [file join $here ../test/remote/served.tcl]
}

array set counts {passed 0 failed 0 skipped 0}
array set names {}
set samples [file normalize [file join $here ../test/samples]]

# A connection called name, with the extension.
proc open_db {name {file :memory:}} {
    sqlite3 $name $file
    $name nullvalue NULL
    $name enable_load_extension 1
    $name eval {SELECT load_extension($::so)}
    $name enable_load_extension 0
    if {$::served} {
        serve_db $name
    }
}

proc execsql {sql {db db}} {
    uplevel #0 [list $db eval $sql]
}

proc catchsql {sql {db db}} {
    set failed [catch {execsql $sql $db} result]
    list $failed $result
}

proc as_wanted {got wanted} {
    if {[regexp {^(~?)/(.*)/$} $wanted -> not pattern]} {
        set matches [regexp -- $pattern $got]
        return [expr {$not eq "~" ? !$matches : $matches}]
    }
    if {[catch {expr {[list {*}$got] eq [list {*}$wanted]}} same]} {
        return [expr {$got eq $wanted}]
    }
    return $same
}

proc check {name what got wanted} {
    if {[info exists ::names($name)]} {
        puts "! $name: two tests of $::test_file.test have this name"
        incr ::counts(failed)
    }
    set ::names($name) 1
    set same [as_wanted $got $wanted]
    if {!$same && [differs_here $name]} {
        return
    }
    if {$same} {
        incr ::counts(passed)
    } else {
        incr ::counts(failed)
        puts "! $name"
        puts "    ran:    [string trim $what]"
        if {[catch {list {*}$wanted} list]} {    # a pattern need not be one
            set list $wanted
        }
        puts "    wanted: $list"
        puts "    got:    $got"
        puts "    alone:  tclsh tcl/all.tcl $::test_file"
    }
}

proc do_test {name script wanted} {
    if {[differs_here $name "not run: *"]} {
        return
    }
    if {[catch {uplevel #0 $script} got]} {
        set got "error: $got"
    }
    check $name $script $got $wanted
}

proc do_execsql_test {name sql wanted} {
    if {[catch {execsql $sql} got]} {
        set got "error: $got"
    }
    check $name $sql $got $wanted
}

proc do_catchsql_test {name sql wanted} {
    check $name $sql [catchsql $sql] $wanted
}

proc skip {why {n 1}} {
    puts "skipped: $why"
    incr ::counts(skipped) $n
}

# The files below a folder.
proc tree_of {folder} {
    set out {}
    foreach f [glob -nocomplain -directory $folder * .*] {
        if {[file tail $f] in {. ..}} {
            continue
        }
        lappend out {*}[expr {[file isdirectory $f] ? [tree_of $f] : [list $f]}]
    }
    return [lsort -unique $out]      ;# Windows: * is .* too
}

# Path of an official sample file.
proc official {name} {
    file join $::official $name
}

# Runs the tests of script if the official sample files are there.
proc with_official_files {n_tests script} {
    if {[file isdirectory $::official/data]} {
        uplevel #0 $script
    } else {
        puts "without samples: $::test_file.test"
        incr ::counts(skipped) $n_tests
    }
}

# A table of the name, made anew.
proc parquet_table {name path args} {
    db eval "DROP TABLE IF EXISTS temp.\"$name\""
    set options [join [linsert $args 0 '[string map {' ''} $path]'] {, }]
    db eval "CREATE VIRTUAL TABLE temp.\"$name\" USING parquet($options)"
}

# The visible columns of a table: {name type ...}
proc declared {table} {
    set out {}
    db eval "PRAGMA table_xinfo(\"[string map {\" \"\"} $table]\")" c {
        if {$c(hidden) == 0} {
            lappend out $c(name) $c(type)
        }
    }
    return $out
}

proc hidden {table} {
    set out {}
    db eval "PRAGMA table_xinfo(\"$table\")" c {
        if {$c(hidden)} {
            lappend out $c(name) $c(type)
        }
    }
    return $out
}

# The name in double quotes, for SQL.
proc quoted {name} {
    return "\"[string map {\" \"\"} $name]\""
}

# CREATE TABLE copy(<the same declared types>), with all rows of table.
proc copy_table {table copy} {
    set columns {}
    foreach {name type} [declared $table] {
        lappend columns "[quoted $name] [expr {$type eq {} ? {}
            : [quoted $type]}]"
    }
    db eval "DROP TABLE IF EXISTS [quoted $copy]"
    db eval "CREATE TABLE [quoted $copy]([join $columns {, }])"
    db eval "INSERT INTO [quoted $copy] SELECT * FROM [quoted $table]"
}

# A value as an SQL literal, which tells the classes apart; -0.0 is 0.0, as in a
# native table.
proc exact_value {value} {
    return "CASE WHEN typeof($value) = 'real' AND $value = 0.0
            THEN '0.0' ELSE quote($value) END"
}

# The rows of a query, each a list of such literals.
proc exact_rows {sql {db db}} {
    $db eval "SELECT * FROM ($sql) LIMIT 0" row {}
    set n [llength $row(*)]
    set names {}
    set exact {}
    for {set i 1} {$i <= $n} {incr i} {
        lappend names c$i
        lappend exact [exact_value c$i]
    }
    set flat [$db eval "WITH q([join $names ,]) AS ($sql)
                        SELECT [join $exact ,] FROM q"]
    set rows {}
    for {set i 0} {$i < [llength $flat]} {incr i $n} {
        lappend rows [lrange $flat $i [expr {$i + $n - 1}]]
    }
    return $rows
}

# What one list has and the other lacks, as multisets: {} when equal, else
# {n_missing n_surplus first_missing first_surplus}.
proc difference {ours theirs} {
    set ours [lsort $ours]
    set theirs [lsort $theirs]
    if {$ours eq $theirs} {
        return {}
    }
    set count [dict create]
    foreach row $ours { dict incr count $row }
    foreach row $theirs { dict incr count $row -1 }
    set surplus {}
    set missing {}
    dict for {row n} $count {
        if {$n > 0} { lappend surplus $row }
        if {$n < 0} { lappend missing $row }
    }
    list [llength $missing] [llength $surplus] [lindex $missing 0] \
        [lindex $surplus 0]
}

open_db db
