/** Attempts that still succeed, and why. Each leaves this list with the change that ends it. */
export const KNOWN: ReadonlyMap<string, string> = new Map([
  [
    "hidden reasoning not requested",
    "The gateway assumes that a messages request that does not ask for reasoning has none. So hidden reasoning is not charged when the client disconnects.",
  ],
  [
    "plain requests until the deadline",
    "A plain response that hits the deadline has an error status, which costs nothing by the interface. The client gets nothing for it. It does not count towards the cap, because a hanging provider would then suspend every key.",
  ],
]);
