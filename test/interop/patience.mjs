// patience.mjs - how long a process may be silent before it counts as hanging.
// No answer takes a hundredth of that on any machine.  The limit ends a hang,
// and measures nothing.
export const SECONDS = 900
