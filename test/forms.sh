# forms.sh - how much of a suite make check does, and how much make check-all.
#
# FORM is check or all.  Whoever runs a suite without it has all of it.

# The oracle draws its questions from this seed.  They are the same in every
# run, so a failure comes from the change.  SEED=n draws others, and so do the
# long runs.
check_seed=20261122

# One question of the oracle out of how many, and one change to an encrypted file
# or to a page header out of how many, is asked; how many points of a scenario fail, moments of a copy
# are those at which it is killed, and changes are made to small files.  What
# parquet_copy_to writes is read by others: which cells (written.mjs).  A request to a
# server fails in one way of how many.  So many random databases go out and come back;
# so many have archives, and so many calls of these are killed.
case ${FORM:-all} in
check)
    oracle_share=4 tamper_every=54 fault_points=5 kill_moments=20
    hostile_changes=1200 written_cells=few header_every=23 faults_every=8 databases=60
    archives=25
    ;;
*)
    oracle_share=1 tamper_every=18 fault_points=55 kill_moments=100
    hostile_changes=5000 written_cells=core header_every=8 faults_every=1 databases=500
    archives=300
    ;;
esac
