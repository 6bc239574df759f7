/** What a request asks for when a test is about something else. It still needs its id and its key. */
export const PLAIN_ASK = {
  bucket: 7,
  keyVersion: 1,
  rpmLimit: null,
  least: 1n,
  most: 10n,
  unlimited: false,
  model: "m",
  priceVersion: 1,
  lifetimeMs: 300_000,
  claim: null,
} as const;
