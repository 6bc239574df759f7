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
  startedMsAgo: number;
};

/** A browser came back: what its person is asked, with what it must bring along with the answer; or who wants to see their own account. */
export type CameBack =
  | { kind: "asked"; question: DeviceQuestion; secret: string }
  | { kind: "identified"; personId: string; returnTo: string };

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
  /** A person opens the console of key holders: the same, for a browser that comes back to a path of it. */
  beginInBrowser: (returnTo: string | null, from: Visitor) => Promise<{ url: string; state: string }>;
  cameBack: (came: Visitor & { query: string; state: string | null }) => Promise<CameBack>;
  decide: (
    secret: string,
    decision: Visitor & { verdict: "approved" | "denied" },
  ) => Promise<{ email: string; client: string }>;
  redeem: (deviceCode: string, from: Visitor) => Promise<ClientTokens | "pending" | "too_fast" | "denied" | "expired">;
  /** Null: the token is good for nothing. */
  refresh: (refreshToken: string, from: Visitor) => Promise<ClientTokens | null>;
  revoke: (token: string, from: Visitor) => Promise<void>;
};
