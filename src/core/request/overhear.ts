/** A call to a provider as it is sent. The headers have the credential. */
export type SentCall = { origin: string; path: string; headers: Readonly<Record<string, string>>; body: Buffer };

/** How an answer ended: with its last byte, by the provider's failure, or because we gave it up. */
export type ExchangeEnd = "complete" | "failed" | "abandoned";

/** Is told what comes back, as it comes. */
export type ExchangeWatcher = {
  head: (status: number, headers: Readonly<Record<string, string | string[] | undefined>>) => void;
  bytes: (chunk: Buffer) => void;
  ended: (how: ExchangeEnd) => void;
};

/** Listens to the calls of a process to its providers. Only what certifies a provider does. */
export type Overhear = (call: SentCall) => ExchangeWatcher;
