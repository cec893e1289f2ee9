import java.sql.*;

public class HostJava {
    public static void main(String[] args) throws Exception {
        var db = DriverManager.getConnection("jdbc:sqlite::memory:?enable_load_extension=true");
        db.createStatement().execute("SELECT load_extension('./parquet')");

        db.createStatement().execute(
            "CREATE VIRTUAL TABLE temp.trips USING parquet('trips.parquet')");
        var rows = db.createStatement().executeQuery(
            "SELECT count(*) || '|' || sum(id) FROM trips");
        System.out.println(rows.getString(1));
    }
}
