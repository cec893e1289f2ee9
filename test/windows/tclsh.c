/*
** tclsh.c - a tclsh.exe with the package sqlite3 in it, for tcl.sh.
*/
#define STATIC_BUILD 1
#include <tcl.h>

int Sqlite3_Init(Tcl_Interp *tcl);

static int begin(Tcl_Interp *tcl)
{
    Tcl_StaticPackage(NULL, "Sqlite3", Sqlite3_Init, NULL);
    return Tcl_Init(tcl);
}

int main(int n, char **arguments)
{
    Tcl_Main(n, arguments, begin);
    return 0;
}
