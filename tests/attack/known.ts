/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  [
    "plain requests until the deadline",
    "A plain response that hits the deadline has an error status, which costs nothing by the interface. The client gets nothing for it. It does not count towards the cap, because a hanging provider would then suspend every key.",
  ],
  [
    "unreadable events across formats",
    "A stream that no translation can read fails before its first word, which costs nothing by the interface. The client gets nothing for it, and cannot make a provider write so.",
  ],
]);
