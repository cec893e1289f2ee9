# iceberg_table.tcl - writes Iceberg tables: metadata, and Avro files, byte by byte.
#
#   ice::new t {{1 n int} {2 day date}}             a table
#   ice::spec t {{2 1000 day identity int}}         source id, field id, name, transform, Avro type
#   ice::parquet t a.parquet {SELECT 1 AS n}           a Parquet file with the ids of its columns
#   ice::commit t [ice::data a.parquet 1] ...       a snapshot more; entries are dicts
#
# Every commit has one manifest for data, one for deletes, and those of the commits before.
namespace eval ice {
    variable codec null sync [string repeat S 16] table {}
}

# ---- Avro ------------------------------------------------------------------------------------

proc ice::long {n} {
    set n [expr {$n < 0 ? -2 * $n - 1 : 2 * $n}]
    set out {}
    while {$n > 127} {
        append out [binary format c [expr {$n & 127 | 128}]]
        set n [expr {$n >> 7}]
    }
    return $out[binary format c $n]
}
proc ice::bytes {b} {return [long [string length $b]]$b}
proc ice::text {s} {return [bytes [encoding convertto utf-8 $s]]}
proc ice::maybe {kind value} {
    if {$value eq "null"} {return [long 0]}
    return [long 1][value $kind $value]
}
proc ice::value {kind value} {
    switch $kind {
        int - long {return [long $value]}
        string {return [text $value]}
        bytes {return [bytes $value]}
        boolean {return [binary format c $value]}
        double {return [binary format q $value]}
        ints {
            if {![llength $value]} {return [long 0]}
            return [long [llength $value]][join [lmap v $value {long $v}] {}][long 0]
        }
    }
    error "no Avro type $kind"
}

# A frame of ZSTD that does not say its size; Snappy with literals alone.
proc ice::pack {data} {
    variable codec
    switch $codec {
        deflate {return [zlib deflate $data]}
        pyiceberg {return [string range [zlib compress $data] 2 end-1]}
        zstandard {
            set n [string length $data]
            return \x28\xb5\x2f\xfd\x00\x58[string range [binary format i [expr {$n << 3 | 1}]] 0 2]$data
        }
        snappy {
            set n [string length $data]
            set out {}
            for {set k $n} {$k > 127} {set k [expr {$k >> 7}]} {
                append out [binary format c [expr {$k & 127 | 128}]]
            }
            append out [binary format c $k] \xf4 [binary format s [expr {$n - 1}]] $data
            return $out[binary format I [zlib crc32 $data]]
        }
    }
    return $data
}
proc ice::avro {path schema records {metadata {}}} {
    variable codec
    variable sync
    set f [open $path wb]
    lappend metadata avro.schema $schema avro.codec [string map {pyiceberg deflate} $codec]
    puts -nonewline $f "Obj\x01[long [expr {[llength $metadata] / 2}]]"
    foreach {key value} $metadata {
        puts -nonewline $f [text $key][text $value]
    }
    puts -nonewline $f [long 0]$sync
    if {[llength $records]} {
        set data [pack [join $records {}]]
        puts -nonewline $f [long [llength $records]][long [string length $data]]$data$sync
    }
    close $f
}
proc ice::field {name type id} {
    return "{\"name\":\"$name\",\"type\":$type,\"field-id\":$id}"
}
proc ice::optional {type} {return "\[\"null\",$type\]"}

# ---- manifests -------------------------------------------------------------------------------

proc ice::pairs_type {key type} {
    set value [expr {$key + 1}]
    return [optional "{\"type\":\"array\",\"logicalType\":\"map\",\"items\":{\"type\":\"record\",\"name\":\"k${key}_v$value\",\"fields\":\[[
        field key {"int"} $key],[field value "\"$type\"" $value]\]}}"]
}
proc ice::pairs {kind pairs} {
    if {![llength $pairs]} {return [long 0]}
    set out [long 1][long [expr {[llength $pairs] / 2}]]
    foreach {key value} $pairs {append out [long $key][value $kind $value]}
    return $out[long 0]
}
proc ice::entry_schema {parts} {
    set partition [join [lmap p $parts {
        lassign $p source id name transform type
        field $name [optional "\"$type\""] $id
    }] ,]
    set file [list [field content {"int"} 134] [field file_path {"string"} 100] \
        [field file_format {"string"} 101] \
        [field partition "{\"type\":\"record\",\"name\":\"r102\",\"fields\":\[$partition\]}" 102] \
        [field record_count {"long"} 103] [field file_size_in_bytes {"long"} 104] \
        [field null_value_counts [pairs_type 121 long] 110] \
        [field lower_bounds [pairs_type 126 bytes] 125] \
        [field upper_bounds [pairs_type 129 bytes] 128] \
        [field first_row_id [optional {"long"}] 142] \
        [field equality_ids [optional {{"type":"array","items":"long","element-id":136}}] 135] \
        [field referenced_data_file [optional {"string"}] 143] \
        [field content_offset [optional {"long"}] 144] \
        [field content_size_in_bytes [optional {"long"}] 145]]
    return "{\"type\":\"record\",\"name\":\"manifest_entry\",\"fields\":\[[join [list \
        [field status {"int"} 0] [field snapshot_id [optional {"long"}] 1] \
        [field sequence_number [optional {"long"}] 3] \
        [field file_sequence_number [optional {"long"}] 4] \
        [field data_file "{\"type\":\"record\",\"name\":\"r2\",\"fields\":\[[join $file ,]\]}" 2]] ,]\]}"
}
proc ice::entry {t e parts} {
    set d [dict merge {status 1 seq null content 0 format PARQUET rows 0 size 0 part {}
        first null ids null of null at null n null location {} nulls {} low {} high {}} $e]
    set path [dict get $d path]
    if {![string match */* $path] && ![string match *:* $path]} {
        if {[file exists $t/data/$path]} {dict set d size [file size $t/data/$path]}
        set path [dict get $::ice::table $t location]/data/$path
    }
    set of [dict get $d of]
    if {$of ne "null" && ![string match */* $of]} {
        set of [dict get $::ice::table $t location]/data/$of
    }
    set out [long [dict get $d status]][maybe long [dict get $::ice::table $t snapshot]]
    append out [maybe long [dict get $d seq]][maybe long [dict get $d seq]]
    append out [long [dict get $d content]][text $path][text [dict get $d format]]
    foreach p $parts v [lrange [dict get $d part] 0 [llength $parts]-1] {
        append out [maybe [lindex $p 4] $v]
    }
    append out [long [dict get $d rows]][long [dict get $d size]]
    append out [pairs long [dict get $d nulls]][pairs bytes [dict get $d low]]
    append out [pairs bytes [dict get $d high]]
    append out [maybe long [dict get $d first]]
    append out [maybe ints [dict get $d ids]][maybe string $of]
    append out [maybe long [dict get $d at]][maybe long [dict get $d n]]
}
proc ice::parts_json {parts} {
    return "\[[join [lmap p $parts {
        lassign $p source id name transform type
        string cat "{\"source-id\":$source,\"field-id\":$id,\"name\":\"$name\",\"transform\":\"$transform\"}"
    }] ,]\]"
}
proc ice::manifest {t path entries content} {
    variable table
    set spec [llength [dict get $table $t specs]]
    set parts [lindex [dict get $table $t specs] end]
    avro $path [entry_schema $parts] [lmap e $entries {entry $t $e $parts}] [list \
        schema [schema_json $t] partition-spec [parts_json $parts] \
        partition-spec-id [expr {$spec - 1}] format-version [expr {min(2, [dict get $table $t format])}] \
        content [lindex {data deletes} $content]]
}
set ice::list_schema "{\"type\":\"record\",\"name\":\"manifest_file\",\"fields\":\[[join [lmap {name type id} {
    manifest_path string 500 manifest_length long 501 partition_spec_id int 502 content int 517
    sequence_number long 515 min_sequence_number long 516 added_snapshot_id long 503
    added_files_count int 504 existing_files_count int 505 deleted_files_count int 506
    added_rows_count long 512 existing_rows_count long 513 deleted_rows_count long 514} {
    string cat "{\"name\":\"$name\",\"type\":\"$type\",\"field-id\":$id}"}] ,],[
    ice::field first_row_id [ice::optional {"long"}] 520]\]}"

# ---- tables ----------------------------------------------------------------------------------

# A field is {id name type ?member of JSON?}.
proc ice::field_json {f} {
    lassign $f id name type more
    if {[string index $type 0] ne "\{"} {set type "\"$type\""}
    return "{\"id\":$id,\"name\":\"$name\",\"required\":false,\"type\":$type$more}"
}
proc ice::schema_json {t {schema {}}} {
    variable table
    if {$schema eq {}} {set schema [lindex [dict get $table $t schemas] end]}
    return "{\"type\":\"struct\",\"schema-id\":[lsearch -exact [dict get $table $t schemas] $schema],\"fields\":\[[
        join [lmap f $schema {field_json $f}] ,]\]}"
}
proc ice::new {t schema {format 2} {location {}}} {
    variable table
    file delete -force $t
    file mkdir $t/metadata $t/data
    if {$location eq {}} {set location [file normalize $t]}
    dict set table $t [dict create schemas [list $schema] specs {{}} format $format version 0 uuid [incr ::ice::uuid] history {} \
        location $location snapshots {} snapshot -1 manifests {} seq 0 properties {}]
}
proc ice::schema {t schema} {
    variable table
    dict set table $t schemas [linsert [dict get $table $t schemas] end $schema]
}
proc ice::spec {t parts} {
    variable table
    set specs [dict get $table $t specs]
    dict set table $t specs [expr {$specs eq {{}} && [dict get $table $t version] == 0
        ? [list $parts] : [linsert $specs end $parts]}]
}
proc ice::parquet {t name sql {options {}}} {
    variable table
    set words {boolean BOOLEAN int INTEGER long BIGINT double DOUBLE string STRING date DATE}
    set ids {}
    set types {}
    db eval "SELECT * FROM ($sql) LIMIT 1" row {set has $row(*)}
    foreach f [lindex [dict get $table $t schemas] end] {
        lassign $f id column type
        if {$column in $has} {
            lappend ids "\"$column\":$id"
            if {[dict exists $words $type]} {lappend types "\"$column\":\"[dict get $words $type]\""}
        }
    }
    if {$options eq {}} {
        set options "\"field_ids\":{[join $ids ,]},\"types\":{[join $types ,]}"
    }
    copied $sql $t/data/$name $options
    return $name
}
# A copy into a table is an error.
proc ice::copied {sql path options} {
    db eval "SELECT parquet_copy_to('[string map {' ''} $sql]', 'ice.tmp.parquet', '{$options}')"
    ::file rename -force ice.tmp.parquet $path
}
proc ice::write {t path text} {
    set f [open $path w]
    fconfigure $f -encoding utf-8 -translation lf
    puts -nonewline $f $text
    close $f
}
proc ice::metadata {t {name {}}} {
    variable table
    set d [dict get $table $t]
    set version [dict get $d version]
    if {$name eq {}} {set name v$version.metadata.json}
    set schemas [dict get $d schemas]
    set specs {}
    foreach parts [dict get $d specs] {
        lappend specs "{\"spec-id\":[llength $specs],\"fields\":[parts_json $parts]}"
    }
    write $t $t/metadata/$name "{\"format-version\":[dict get $d format],\"table-uuid\":\"9c12d441-03fe-4693-9a96-[
        format %012d [dict get $d uuid]]\",\"location\":\"[
        dict get $d location]\",\"last-sequence-number\":[dict get $d seq],\"last-updated-ms\":[expr {1000 + $version}],\"last-column-id\":99,\"current-schema-id\":[
        expr {[llength $schemas] - 1}],\"schemas\":\[[join [lmap s $schemas {schema_json $t $s}] ,]\],\"partition-specs\":\[[
        join $specs ,]\],\"default-spec-id\":[expr {[llength $specs] - 1}],\"last-partition-id\":1010,\"default-sort-order-id\":0,\"sort-orders\":\[{\"order-id\":0,\"fields\":\[\]}\],\"properties\":{[
        dict get $d properties]},\"current-snapshot-id\":[dict get $d snapshot],\"refs\":{},\"snapshots\":\[[
        join [dict get $d snapshots] ,]\],\"snapshot-log\":\[[join [dict get $d history] ,]\],\"metadata-log\":\[\]}"
    dict set table $t version [expr {$version + 1}]
    return $name
}
# -replace: without the manifests of the commits before.  -first N: the manifest of data has row ids
# from N on.
proc ice::commit {t args} {
    variable table
    variable list_schema
    set keep 1
    set first null
    while {[string match -* [lindex $args 0]]} {
        if {[lindex $args 0] eq "-replace"} {
            set keep 0
            set args [lrange $args 1 end]
        } else {
            set first [lindex $args 1]
            set args [lrange $args 2 end]
        }
    }
    set seq [expr {[dict get $table $t seq] + 1}]
    dict set table $t seq $seq
    dict set table $t snapshot [expr {100 + $seq}]
    set manifests [expr {$keep ? [dict get $table $t manifests] : {}}]
    set location [dict get $table $t location]
    foreach content {0 1} {
        set entries [lmap e $args {
            if {([dict exists $e content] && [dict get $e content] > 0) != $content} continue
            set e
        }]
        if {![llength $entries]} continue
        set name m-$seq-$content.avro
        manifest $t $t/metadata/$name $entries $content
        lappend manifests [text $location/metadata/$name][long [::file size $t/metadata/$name]][
            long [expr {[llength [dict get $table $t specs]] - 1}]][long $content][long $seq][
            long $seq][long [expr {100 + $seq}]][long [llength $entries]][long 0][long 0][long 1][long 0][long 0][
            maybe long [expr {$content ? "null" : $first}]]
    }
    dict set table $t manifests $manifests
    avro $t/metadata/snap-$seq.avro $list_schema $manifests
    dict set table $t snapshots [linsert [dict get $table $t snapshots] end "{\"snapshot-id\":[
        expr {100 + $seq}],\"sequence-number\":$seq,\"timestamp-ms\":[expr {1000 + $seq}],\"manifest-list\":\"$location/metadata/snap-$seq.avro\",\"summary\":{\"operation\":\"append\"},\"schema-id\":[
        expr {[llength [dict get $table $t schemas]] - 1}]}"]
    dict set table $t history [linsert [dict get $table $t history] end "{\"timestamp-ms\":[
        expr {1000 + $seq}],\"snapshot-id\":[expr {100 + $seq}]}"]
    metadata $t
}

# ---- entries ---------------------------------------------------------------------------------

proc ice::data {path rows args} {return [dict merge [list path $path rows $rows] $args]}
proc ice::positions {t name pairs args} {
    variable table
    set rows [lmap {path row} $pairs {
        string cat "('[dict get $table $t location]/data/$path', $row)"
    }]
    copied "SELECT column1 AS file_path, column2 AS pos FROM (VALUES [join $rows ,])" $t/data/$name \
        {"field_ids":{"file_path":2147483546,"pos":2147483545},"types":{"pos":"BIGINT"}}
    return [dict merge [list path $name content 1 rows [llength $rows]] $args]
}
proc ice::values {t name sql ids args} {
    parquet $t $name $sql
    return [dict merge [list path $name content 2 rows [db onecolumn "SELECT count(*) FROM ($sql)"] ids $ids] $args]
}
# A Puffin file with one vector of rows below 65536.
proc ice::vector {t name of rows args} {
    set data [binary format iwi 1681511377 1 0][binary format iissi 12346 1 0 [expr {[llength $rows] - 1}] 16]
    foreach r $rows {append data [binary format s $r]}
    set blob [binary format I [string length $data]]$data[binary format I [zlib crc32 $data]]
    set footer "{\"blobs\":\[{\"type\":\"deletion-vector-v1\",\"fields\":\[2147483645\],\"snapshot-id\":-1,\"sequence-number\":-1,\"offset\":4,\"length\":[
        string length $blob],\"properties\":{\"referenced-data-file\":\"$of\",\"cardinality\":\"[llength $rows]\"}}\]}"
    set f [open $t/data/$name wb]
    puts -nonewline $f PFA1${blob}PFA1$footer[binary format ii [string length $footer] 0]PFA1
    close $f
    return [dict merge [list path $name content 1 format PUFFIN rows [llength $rows] of $of at 4 \
        n [string length $blob]] $args]
}
