/** When a certificate ends that a connection was made with. */
export type TlsCertificate = {
  /** `outgoing`: of a provider, identity provider or webhook. `trusted`: an issuer that we were told to trust. */
  usedFor: "outgoing" | "trusted" | "database" | "database_client";
  /** To whom; empty where there is one alone. */
  host: string;
  beginsAtMs: number;
  endsAtMs: number;
};

/** Days before its end in which a certificate should have been renewed. */
const SOON_MS = 14 * 86_400_000;
/** One that lives for days alone is renewed late by intention. */
const LATE_SHARE = 1 / 3;

export const endsSoon = ({ beginsAtMs, endsAtMs }: TlsCertificate, nowMs: number): boolean =>
  endsAtMs - nowMs < Math.min(SOON_MS, (endsAtMs - beginsAtMs) * LATE_SHARE);
