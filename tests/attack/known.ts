/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  [
    "unreadable events across formats",
    "A stream that no translation can read fails before its first word, which costs nothing by the interface. The client gets nothing for it, and cannot make a provider write so. What was read of it counts towards the cap beyond which the payer's streams leave the route alone; what such a server has made besides, when it is stopped, does not.",
  ],
]);
