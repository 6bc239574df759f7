import { hash, timingSafeEqual } from "node:crypto";

/** The tokens that a listener knows by heart. The second reads metrics alone; null: there is none. */
export type AdminTokens = { token: string; metricsToken: string | null };

export const isOperatorToken = (presented: string, { token }: AdminTokens): boolean => isEqual(presented, token);

export const isMetricsToken = (presented: string, { metricsToken }: AdminTokens): boolean =>
  metricsToken !== null && isEqual(presented, metricsToken);

export const presentedIn = (authorization: string | undefined): string =>
  /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";

/** Digests are compared, so that neither content nor length shows in time. */
const isEqual = (presented: string, token: string): boolean =>
  timingSafeEqual(hash("sha256", presented, "buffer"), hash("sha256", token, "buffer"));
