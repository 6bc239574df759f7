/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  [
    "plain requests until the deadline",
    "A plain response that hits the deadline has an error status, which costs nothing by the interface. The client gets nothing for it. It does not count towards the cap, because a hanging provider would then suspend every key.",
  ],
  [
    "closing a route by failures before the first word",
    "A status of 500 is taken for trouble of the provider, whose route closes for ten seconds after five of them, even if all come from one payer. Only a server that a prompt can crash is open to it. Other routes of the model serve meanwhile.",
  ],
  [
    "unreadable events across formats",
    "A stream that no translation can read fails before its first word, which costs nothing by the interface. The client gets nothing for it, and cannot make a provider write so.",
  ],
]);
