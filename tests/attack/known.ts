const IN_FLIGHT =
  "The cap suspends a payer when a request ends, and requests that are already at the provider end after it. What one burst gains is bounded by the balance that reserves for it and by `limits.key_share_percent`.";

/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  [
    "plain requests until the deadline",
    "A plain response that hits the deadline has an error status, which costs nothing by the interface. The client gets nothing for it. It does not count towards the cap, because a hanging provider would then suspend every key.",
  ],
  ["abandoned requests at once", IN_FLIGHT],
  ["abandoned requests of many sessions at once", IN_FLIGHT],
  [
    "closing a route by failures before the first word",
    "A status of 500 is taken for trouble of the provider, whose route closes for ten seconds after five of them, even if all come from one payer. Only a server that a prompt can crash is open to it. Other routes of the model serve meanwhile.",
  ],
  [
    "unreadable events across formats",
    "A stream that no translation can read fails before its first word, which costs nothing by the interface. The client gets nothing for it, and cannot make a provider write so.",
  ],
]);
