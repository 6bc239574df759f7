/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  [
    "reasoning that nobody asked for",
    "A messages request that does not ask for thoughts is taken to have none, so their time is not charged when the caller leaves.",
  ],
  [
    "run plain requests into the deadline",
    "A plain answer that a deadline ends has an error status, which costs nothing by the interface. The caller gets nothing for it; it is not counted towards the cap, or a provider that hangs would have every key suspended.",
  ],
]);
