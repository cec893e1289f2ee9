# variant_bytes.tcl - what the bytes of a Variant say, for the tests.
#
#   variant_tree [binary decode hex 01010001610201000002 0c07]
#
# gives {object a {int8 07}}: the types of all values, and the bytes of scalars
# in hexadecimal.  A short string and a long one are the same type.  This reader
# is independent of the one in core/, so each can be a witness of the other.

namespace eval variant {
    variable primitive {
        {null 0} {true 0} {false 0} {int8 1} {int16 2} {int32 4} {int64 8}
        {double 8} {decimal4 5} {decimal8 9} {decimal16 17} {date 4}
        {timestamp 8} {timestamp_ntz 8} {float 4} {binary -1} {string -1}
        {time 8} {timestamp_ns 8} {timestamp_ntz_ns 8} {uuid 16}
    }
}

# Takes n bytes, or an unsigned number of n bytes, from the front of a variable.
proc variant::take {var n} {
    upvar 1 $var bytes
    if {[string length $bytes] < $n} {
        error "a Variant ends too early"
    }
    set taken [string range $bytes 0 $n-1]
    set bytes [string range $bytes $n end]
    return $taken
}

proc variant::number {var n} {
    upvar 1 $var bytes
    set v 0
    set shift 0
    foreach b [split [take bytes $n] {}] {
        incr v [expr {[scan $b %c] << $shift}]
        incr shift 8
    }
    return $v
}

# Takes metadata, and gives its names.
proc variant::names {var} {
    upvar 1 $var bytes
    set header [number bytes 1]
    set size [expr {($header >> 6) + 1}]
    set n [number bytes $size]
    set at [number bytes $size]
    for {set i 0} {$i < $n} {incr i} {
        lappend ends [number bytes $size]
    }
    set names {}
    for {set i 0} {$i < $n} {incr i} {
        set end [lindex $ends $i]
        lappend names [take bytes [expr {$end - $at}]]
        set at $end
    }
    return $names
}

proc variant::value {bytes names} {
    variable primitive
    set header [number bytes 1]
    switch [expr {$header & 3}] {
        0 { return [scalar $bytes {*}[lindex $primitive [expr {$header >> 2}]]] }
        1 { return [list string [binary encode hex \
                [take bytes [expr {$header >> 2}]]]] }
        2 { return [items $bytes $names object [expr {$header >> 2}]] }
        3 { return [items $bytes $names array [expr {$header >> 2}]] }
    }
}

proc variant::scalar {bytes type n} {
    if {$n < 0} {
        set n [number bytes 4]
    }
    return [list $type [binary encode hex [take bytes $n]]]
}

proc variant::items {bytes names kind header} {
    set large [expr {$header >> ($kind eq "object" ? 4 : 2) & 1}]
    set offset_size [expr {($header & 3) + 1}]
    set n [number bytes [expr {$large ? 4 : 1}]]
    set keys {}
    if {$kind eq "object"} {
        for {set i 0} {$i < $n} {incr i} {
            lappend keys [lindex $names \
                [number bytes [expr {($header >> 2 & 3) + 1}]]]
        }
    }
    for {set i 0} {$i <= $n} {incr i} {
        lappend offsets [number bytes $offset_size]
    }
    if {[string length $bytes] < [lindex $offsets $n]} {
        error "a Variant ends too early"
    }
    set out $kind
    for {set i 0} {$i < $n} {incr i} {
        if {$kind eq "object"} {
            lappend out [encoding convertfrom utf-8 [lindex $keys $i]]
        }
        lappend out [value [string range $bytes [lindex $offsets $i] end] \
            $names]
    }
    return $out
}

# metadata | value
proc variant_tree {blob} {
    set names [variant::names blob]
    return [variant::value $blob $names]
}
