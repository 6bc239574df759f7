/** A call as it is about to be sent. */
export type SignableCall = {
  method: "GET" | "POST";
  host: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
};

/** A credential that ends: calls get it when they are sent, since it may be new by then, and since a signature needs what is sent. */
export type CallSigner = {
  /** The headers to add. */
  sign: (call: SignableCall) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** A provider has refused it. True: a newer one has come. The one at hand stays until then, since a caller may have provoked the refusal. */
  renew: () => Promise<boolean>;
};

/** What the calls to a provider are sent with: nothing, a secret of its dialect's header, or what is made for each call. */
export type CallCredential = string | null | CallSigner;
