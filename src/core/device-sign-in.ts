/** A client that began to sign in, and what it tells its person. */
export type DeviceStarted = {
  deviceCode: string;
  /** `ZDFP-BCGM` */
  userCode: string;
  expiresInSeconds: number;
  intervalSeconds: number;
};

/** What somebody is asked before a client gets a session of theirs. */
export type DeviceQuestion = {
  email: string;
  name: string;
  /** The names from the root down. */
  account: string;
  userCode: string;
  /** As the client names itself. */
  client: string;
  /** Null: not known. */
  clientAddress: string | null;
  browserAddress: string | null;
  startedAtMs: number;
};

export type ClientTokens = { accessToken: string; refreshToken: string; expiresInSeconds: number };

/** Who sent a request to the pages of a sign-in. */
export type Visitor = { address: string | null; agent: string; requestId: string };

/** How a client without a browser gets a session: its person signs in through the identity provider and approves. [RFC 8628] */
export type DeviceSignIn = {
  start: (from: Visitor) => Promise<DeviceStarted>;
  /** The code as it would be shown; null: it can't be one. */
  readCode: (typed: string) => string | null;
  /** A person typed a code: where their browser goes now, and what it must bring back. */
  enter: (typed: string, from: Visitor) => Promise<{ url: string; state: string }>;
  /** The browser came back: what its person is asked, and what it must bring with the answer. */
  cameBack: (
    came: Visitor & { query: string; state: string | null },
  ) => Promise<{ question: DeviceQuestion; secret: string }>;
  decide: (
    secret: string,
    decision: Visitor & { verdict: "approved" | "denied" },
  ) => Promise<{ email: string; client: string }>;
  redeem: (deviceCode: string, from: Visitor) => Promise<ClientTokens | "pending" | "too_fast" | "denied" | "expired">;
  /** Null: the token is good for nothing. */
  refresh: (refreshToken: string, from: Visitor) => Promise<ClientTokens | null>;
  revoke: (token: string, from: Visitor) => Promise<void>;
};
