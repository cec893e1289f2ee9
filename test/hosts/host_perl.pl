use strict;
use DBI;

my $db = DBI->connect('dbi:SQLite:dbname=:memory:', '', '', {RaiseError => 1});
$db->sqlite_enable_load_extension(1);
$db->sqlite_load_extension('./parquet');

$db->do("CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')");
print $db->selectrow_array("SELECT count(*) || '|' || sum(id) FROM trips"), "\n";
