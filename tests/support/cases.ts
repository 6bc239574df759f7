/** How many cases a property is given: all in the long run, and fewer in the gate where each of them takes its time. */
export const cases = ({ gate, long }: { gate: number; long: number }): number =>
  process.env["TEST_LONG"] === "1" ? long : gate;
