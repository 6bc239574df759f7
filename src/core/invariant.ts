/** States what we believe impossible. A failure is a bug: it is answered with 500 and nothing about it reaches the caller. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}
