// patience.mjs - how long a process may be silent before it counts as one that
// hangs.  No answer takes a hundredth of it on any machine: this ends a hang,
// and measures nothing.
export const SECONDS = 900
