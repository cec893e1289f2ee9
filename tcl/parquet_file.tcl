# parquet_file.tcl - small Parquet files for the tests, written value by value.
#
#   parquet_file t.parquet {
#       {n INT64 {} {1 2 NULL}}
#       {s BYTE_ARRAY STRING {a b NULL}}
#       {price INT32 {DECIMAL 9 2} {100 250 NULL}}
#   } -group_rows 2
#
# A column is {name type logical values ?repetition?}.
#
#   name        a text, or x:HEX for its bytes
#   type        a physical type; FIXED(n) has n bytes, and FIXED() does not say
#               how many
#   logical     empty, one of logical_types below, or {converted NAME} for the
#               old annotation alone
#   values      each is NULL, what `binary format` takes, a text, or x:HEX for
#               the bytes of the value itself
#   repetition  optional, unless it says required
#
# A struct is {name STRUCT {fields} logical}, mostly with no logical type.  A
# value that is null because a struct around it is null is written NULL@level,
# with the level of definition.  Anything else nested comes from test/samples.
#
# Options.  A leaf in a struct is named by the list of its path.
#
#   -group_rows N            rows in a row group
#   -bounds {name {min max}}      gives chunks of a column these bounds, as bytes
#   -stats {name ...}        gives each chunk of these columns its true bounds and
#                            number of NULLs (INT32, INT64, FLOAT, DOUBLE,
#                            BYTE_ARRAY)
#   -exact {name ...}        says that these bounds are values of rows
#   -lies {name {group {min max}}}     gives a row group other bounds, as values
#   -null_lie N              statistics count N NULLs; none: they do not count
#   -boxes {name {group {xmin xmax ymin ymax ?code ...?}}}     gives chunks
#                            geospatial statistics: a box, and codes of types
#   -dictionary {name {entries}}  writes a column with a dictionary of these
#                            entries; some may be in no row.  A page with a value
#                            that is none of them is PLAIN
#   -bloom {name byte}       gives it a Bloom filter of 32 such bytes: ff has every
#                            value, 00 has none
#   -file_path NAME          writes a summary file: a footer alone.  Its chunks are
#                            in the file NAME, which the same call without this
#                            option writes
#   -page_rows N             rows in a page
#   -page_stats {name ...}   gives each page of these columns its true bounds and
#                            number of NULLs, in its header
#   -page_lies {name {page {min max}}}     gives a page other bounds; pages are
#                            counted in their chunk
#   -sorted {column desc}    says that row groups are sorted by this column
#                            (counted from 0), which need not be true
#   -created_by TEXT         the writer
#   -crc N                   gives every page this checksum
#
# Pages are PLAIN, uncompressed, version 1, mostly one per chunk.  Files like
# those of the writers in test/samples are not made here: this is for odd values,
# names and shapes.

namespace eval pqfile {
    variable physical {
        BOOLEAN 0 INT32 1 INT64 2 INT96 3 FLOAT 4 DOUBLE 5 BYTE_ARRAY 6 FIXED 7
    }
    variable converted {
        UTF8 0 MAP 1 MAP_KEY_VALUE 2 LIST 3 ENUM 4 DECIMAL 5 DATE 6
        TIME_MILLIS 7 TIME_MICROS 8 TIMESTAMP_MILLIS 9 TIMESTAMP_MICROS 10
        UINT_8 11 UINT_16 12 UINT_32 13 UINT_64 14 INT_8 15 INT_16 16
        INT_32 17 INT_64 18 JSON 19 BSON 20 INTERVAL 21
    }
    # Field of the union LogicalType, and the fields of its struct by the
    # words that follow the name: {field kind ...}
    variable logical {
        STRING {1} ENUM {4} DECIMAL {5 2 i32 1 i32} DATE {6}
        TIME {7 2 unit 1 bool} TIMESTAMP {8 2 unit 1 bool}
        INT {10 1 byte 2 bool} UNKNOWN {11} JSON {12} BSON {13} UUID {14}
        FLOAT16 {15} VARIANT {16} GEOMETRY {17 1 binary}
        GEOGRAPHY {18 1 binary 2 i32} FILE {19} FUTURE {77 1 binary}
    }
    variable units {MILLIS 1 MICROS 2 NANOS 3}
}

# ---- compact Thrift ---------------------------------------------------------

proc pqfile::varint {n} {
    set out {}
    while {$n > 127} {
        append out [binary format c [expr {$n & 127 | 128}]]
        set n [expr {$n >> 7}]
    }
    append out [binary format c $n]
}

proc pqfile::zigzag {n} {
    varint [expr {$n < 0 ? -2 * $n - 1 : 2 * $n}]
}

proc pqfile::bytes {b} {
    return [varint [string length $b]]$b
}

# fields: {id kind value ...}; the kinds are those of element, and bool.
proc pqfile::struct {fields} {
    set out {}
    set last 0
    foreach {id kind value} $fields {
        switch $kind {
            bool   { set code [expr {$value ? 1 : 2}] }
            byte   { set code 3 }
            i32    { set code 5 }
            i64    { set code 6 }
            double { set code 7 }
            binary { set code 8 }
            list   { set code 9 }
            struct { set code 12 }
        }
        set step [expr {$id - $last}]
        if {$step > 0 && $step < 16} {
            append out [binary format c [expr {$step << 4 | $code}]]
        } else {
            append out [binary format c $code] [zigzag $id]
        }
        set last $id
        if {$kind ne "bool"} {
            append out [element $kind $value]
        }
    }
    return $out\0
}

# The value of a list is {kind elements}, that of a struct its fields.
proc pqfile::element {kind value} {
    switch $kind {
        byte   { return [binary format c $value] }
        i32 - i64 { return [zigzag $value] }
        double { return [binary format q $value] }
        binary { return [bytes $value] }
        struct { return [struct $value] }
        list   {
            lassign $value kind elements
            set code [dict get {i32 5 i64 6 binary 8 struct 12} $kind]
            set n [llength $elements]
            if {$n < 15} {
                set out [binary format c [expr {$n << 4 | $code}]]
            } else {
                set out [binary format c [expr {0xf0 | $code}]][varint $n]
            }
            foreach e $elements {
                append out [element $kind $e]
            }
            return $out
        }
    }
}

# ---- schema -----------------------------------------------------------------

proc pqfile::logical_field {words} {
    variable logical
    variable units
    set shape [dict get $logical [lindex $words 0]]
    set fields {}
    foreach word [lrange $words 1 end] {id kind} [lrange $shape 1 end] {
        if {$word eq {} || $id eq {}} {
            continue
        }
        if {$kind eq "unit"} {
            lappend fields [list $id struct \
                [list [dict get $units $word] struct {}]]
        } else {
            lappend fields [list $id $kind [encoding convertto utf-8 $word]]
        }
    }
    return [list 10 struct \
        [list [lindex $shape 0] struct [concat {*}[lsort -integer -index 0 \
            $fields]]]]
}

# Adds the elements of a column to `elements`.  Adds its leaves to `leaves`,
# each as {path physical length max_definition values}.
proc pqfile::describe {column path level elementsVar leavesVar} {
    variable physical
    variable converted
    upvar 1 $elementsVar elements $leavesVar leaves
    lassign $column name type logical values repetition
    set required [expr {$repetition eq "required"}]
    incr level [expr {!$required}]
    set bytes [expr {[regexp {^x:([0-9a-f]+)$} $name -> hex]
        ? [binary format H* $hex] : [encoding convertto utf-8 $name]}]
    lappend path $bytes
    if {$type eq "STRUCT"} {
        lappend elements [list 3 i32 [expr {!$required}] 4 binary $bytes \
            5 i32 [llength $logical] \
            {*}[expr {[llength $values] ? [logical_field $values] : {}}]]
        foreach field $logical {
            describe $field $path $level elements leaves
        }
        return
    }
    set length 0
    regexp {^(FIXED)\((-?\d*)\)$} $type -> type length
    set e [list 1 i32 [dict get $physical $type]]
    if {$type eq "FIXED" && $length ne {}} {
        lappend e 2 i32 $length
    }
    lappend e 3 i32 [expr {!$required}] 4 binary $bytes
    if {[lindex $logical 0] eq "converted"} {
        lassign $logical - kind precision scale
        lappend e 6 i32 [dict get $converted $kind]
        if {$precision ne {}} {
            lappend e 7 i32 $scale 8 i32 $precision
        }
    } elseif {[llength $logical]} {
        lappend e {*}[logical_field $logical]
    }
    lappend elements $e
    lappend leaves [list $path $type $length $level $values]
}

# ---- pages ------------------------------------------------------------------

proc pqfile::with_length {type bytes} {
    if {$type ne "BYTE_ARRAY"} {
        return $bytes
    }
    return [binary format i [string length $bytes]]$bytes
}

proc pqfile::plain {type length value} {
    if {[regexp {^x:([0-9a-fA-F]*)$} $value -> hex]} {
        return [with_length $type [binary format H* $hex]]
    }
    if {$value eq "NaN"} {
        return [binary format H* [expr {$type eq "FLOAT" ? "0000c07f"
            : "000000000000f87f"}]]
    }
    switch $type {
        INT32  { return [binary format i $value] }
        INT64  { return [binary format w [expr {$value & 0xffffffffffffffff}]] }
        INT96  { return [binary format wi {*}$value] }
        FLOAT  { return [binary format r $value] }
        DOUBLE { return [binary format q $value] }
        BYTE_ARRAY {
            return [with_length $type [encoding convertto utf-8 $value]]
        }
        FIXED  { return [binary format a$length [encoding convertto utf-8 $value]] }
    }
}

# Levels of definition as runs, after their length.
proc pqfile::levels {list} {
    set out {}
    for {set i 0} {$i < [llength $list]} {incr i $n} {
        set v [lindex $list $i]
        set n 1
        while {[lindex $list [expr {$i + $n}]] eq $v} {
            incr n
        }
        append out [varint [expr {$n << 1}]] [binary format c $v]
    }
    return [binary format i [string length $out]]$out
}

proc pqfile::dictionary_page {type length entries} {
    set body {}
    foreach v $entries {
        append body [plain $type $length $v]
    }
    if {$type eq "BOOLEAN"} {
        set body [binary format b* [join $entries {}]]
    }
    set size [string length $body]
    return [struct [list 1 i32 2 2 i32 $size 3 i32 $size 7 struct \
        [list 1 i32 [llength $entries] 2 i32 0]]]$body
}

# A page of values.  Where there are entries, it has runs of one index each.
proc pqfile::page {type length max values {entries {}} {crc {}} {stats {}}} {
    set encoding [expr {[llength $entries] ? 8 : 0}]
    set body [expr {$encoding ? "\x08" : {}}]
    set bits {}
    set at {}
    foreach v $values {
        if {[regexp {^NULL(@(\d+))?$} $v -> - level]} {
            lappend at [expr {$level eq {} ? $max - 1 : $level}]
        } else {
            lappend at $max
            if {$encoding} {
                append body [varint 2] \
                    [binary format c [lsearch -exact $entries $v]]
            } elseif {$type eq "BOOLEAN"} {
                append bits $v
            } else {
                append body [plain $type $length $v]
            }
        }
    }
    append body [binary format b* $bits]
    if {$max > 0} {
        set body [levels $at]$body
    }
    set n [llength $values]
    set size [string length $body]
    set header [list 1 i32 0 2 i32 $size 3 i32 $size]
    if {$crc ne {}} {
        lappend header 4 i32 $crc
    }
    set data [list 1 i32 $n 2 i32 $encoding 3 i32 3 4 i32 3]
    if {[llength $stats]} {
        lappend data 5 struct $stats
    }
    lappend header 5 struct $data
    return [struct $header]$body
}

proc pqfile::bloom {byte} {
    set kind {struct {1 struct {}}}
    return [struct [list 1 i32 32 2 {*}$kind 3 {*}$kind 4 {*}$kind]][binary \
        format H* [string repeat $byte 32]]
}

# ---- statistics -------------------------------------------------------------

# Bounds and number of NULLs of some values, as fields of Statistics.
proc pqfile::statistics {type length values lie null_lie} {
    set there [lsearch -all -inline -not $values NULL*]
    set n_nulls [expr {[llength $values] - [llength $there]}]
    set out [expr {$null_lie eq {} ? [list 3 i64 $n_nulls]
                   : $null_lie eq {none} ? {} : [list 3 i64 $null_lie]}]
    set there [lsearch -all -inline -not $there NaN]
    if {[llength $there] == 0} {
        return $out
    }
    set how [expr {$type in {INT32 INT64} ? "-integer"
                   : $type in {FLOAT DOUBLE} ? "-real" : "-ascii"}]
    set sorted [lsort $how $there]
    lassign [expr {$lie ne {} ? $lie
        : [list [lindex $sorted 0] [lindex $sorted end]]}] min max
    set bare [expr {$type eq "BYTE_ARRAY" ? "FIXED" : $type}]
    foreach {id value} [list 5 $max 6 $min] {
        lappend out $id binary [plain $bare [string length [encoding convertto \
            utf-8 $value]] $value]
    }
    return $out
}

proc pqfile::geospatial {facts} {
    set out {}
    set box {}
    foreach v [lrange $facts 0 3] id {1 2 3 4} {
        lappend box $id double $v
    }
    lappend out 1 struct $box
    if {[llength $facts] > 4} {
        lappend out 2 list [list i32 [lrange $facts 4 end]]
    }
    return $out
}

# ---- the file ---------------------------------------------------------------

proc parquet_file {file columns args} {
    array set option {-group_rows 1000000000 -rows -1 -groups 1 -kv {} -bounds {}
        -dictionary {} -bloom {} -file_path {} -stats {} -lies {}
        -created_by parquet_file.tcl -crc {} -page_rows 1000000000
        -page_stats {} -page_lies {} -boxes {} -sorted {} -null_lie {} -exact {}}
    array set option $args
    set elements {}
    set leaves {}
    foreach c $columns {
        pqfile::describe $c {} 0 elements leaves
    }
    set root [list 4 binary schema 5 i32 [llength $columns]]
    set n_rows [expr {$option(-rows) >= 0 ? $option(-rows)
        : [llength [lindex $leaves 0 4]]}]
    set f [open $file wb]
    puts -nonewline $f PAR1
    set groups {}
    for {set row 0} {$row < $n_rows} {incr row $n} {
        set n [expr {min($option(-group_rows), $n_rows - $row)}]
        set chunks {}
        set group_size 0
        foreach leaf $leaves {
            lassign $leaf name type length max values
            set part [lrange $values $row [expr {$row + $n - 1}]]
            if {[llength $part] != $n} {
                error "$name has [llength $part] values and not $n"
            }
            set offset [tell $f]
            set dict {}
            set entries {}
            set encodings {0 3}
            if {[dict exists $option(-dictionary) $name]} {
                set entries [dict get $option(-dictionary) $name]
                set dict [pqfile::dictionary_page $type $length $entries]
                lappend encodings 8
            }
            set page {}
            for {set at 0} {$at < $n} {incr at $option(-page_rows)} {
                set some [lrange $part $at [expr {$at + $option(-page_rows) - 1}]]
                set lie {}
                set number [expr {$at / $option(-page_rows)}]
                if {[dict exists $option(-page_lies) $name $number]} {
                    set lie [dict get $option(-page_lies) $name $number]
                }
                set known [expr {0 ni [lmap v $some {
                    expr {$v in $entries || [string match NULL* $v]}}]}]
                append page [pqfile::page $type $length $max $some \
                    [expr {$known ? $entries : {}}] \
                    $option(-crc) [expr {$name in $option(-page_stats)
                        ? [pqfile::statistics $type $length $some $lie \
                               $option(-null_lie)] : {}}]]
            }
            set data_offset [expr {$offset + [string length $dict]}]
            set size [string length $dict$page]
            puts -nonewline $f $dict$page
            incr group_size $size
            set chunk [list \
                1 i32 [dict get $pqfile::physical $type] 2 list [list i32 $encodings] \
                3 list [list binary $name] 4 i32 0 5 i64 $n 6 i64 $size \
                7 i64 $size 9 i64 $data_offset]
            if {$dict ne {}} {
                lappend chunk 11 i64 $offset
            }
            if {[dict exists $option(-bounds) $name]} {
                lassign [dict get $option(-bounds) $name] min max
                lappend chunk 12 struct [list 5 binary $max 6 binary $min]
            }
            if {$name in $option(-stats)} {
                set group [llength $groups]
                set lie {}
                if {[dict exists $option(-lies) $name $group]} {
                    set lie [dict get $option(-lies) $name $group]
                }
                lappend chunk 12 struct \
                    [concat [pqfile::statistics $type $length $part $lie \
                                 $option(-null_lie)] \
                         [expr {$name in $option(-exact) ? {7 bool 1 8 bool 1} : {}}]]
            }
            set path $option(-file_path)
            if {[dict exists $option(-bloom) $name]} {
                lappend chunk 14 i64 [tell $f]
                puts -nonewline $f [pqfile::bloom \
                    [dict get $option(-bloom) $name]]
            }
            if {[dict exists $option(-boxes) $name [llength $groups]]} {
                lappend chunk 17 struct [pqfile::geospatial \
                    [dict get $option(-boxes) $name [llength $groups]]]
            }
            lappend chunks [concat [expr {$path eq {} ? {}
                : [list 1 binary $path]}] [list 2 i64 $offset 3 struct $chunk]]
        }
        lappend groups [list 1 list [list struct $chunks] 2 i64 $group_size \
            3 i64 $n]
        if {$option(-sorted) ne {}} {
            lassign $option(-sorted) column desc
            lset groups end [concat [lindex $groups end] [list 4 list [list struct \
                [list [list 1 i32 $column 2 bool $desc 3 bool 1]]]]]
        }
    }
    set kv {}
    foreach {key value} $option(-kv) {
        lappend kv [list 1 binary $key 2 binary $value]
    }
    set meta [list 1 i32 2 2 list [list struct [list $root {*}$elements]] \
        3 i64 $n_rows 4 list [list struct $groups]]
    if {[llength $kv]} {
        lappend meta 5 list [list struct $kv]
    }
    lappend meta 6 binary $option(-created_by)
    if {[llength $option(-bounds)] || [llength $option(-stats)] ||
        [llength $option(-page_stats)]} {
        lappend meta 7 list [list struct [lrepeat [llength $leaves] \
            {1 struct {}}]]
    }
    set footer [pqfile::struct $meta]
    if {$option(-file_path) ne {}} {
        chan truncate $f 4
        seek $f 4
    }
    puts -nonewline $f $footer[binary format i [string length $footer]]PAR1
    close $f
    return $file
}
