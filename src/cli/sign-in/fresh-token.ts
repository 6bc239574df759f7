import { CommandError } from "../report-failure.ts";
import type { SignedInTokens } from "./oauth-client.ts";
import type { SessionFile } from "./session-file.ts";

type Parts = {
  file: SessionFile;
  refresh: (origin: string, refreshToken: string) => Promise<SignedInTokens | null>;
  nowMs: () => number;
};

/** A token is renewed while it is still good for this long, so that the request it is used for does not meet its end. */
const MARGIN_MS = 300_000;

/** An access token that is good for some minutes. Of several processes that find it too old, one asks for a new one. */
export async function freshToken(origin: string, { file, refresh, nowMs }: Parts): Promise<string> {
  const isFresh = (tokens: SignedInTokens): boolean => tokens.expiresAtMs - nowMs() > MARGIN_MS;
  const kept = file.read().get(origin);
  if (kept !== undefined && isFresh(kept)) return kept.accessToken;
  let token: string | null = null;
  await file.change(async (sessions) => {
    const present = sessions.get(origin);
    if (present === undefined) return null;
    if (isFresh(present)) {
      token = present.accessToken;
      return null;
    }
    const next = await refresh(origin, present.refreshToken);
    const others = [...sessions].filter(([name]) => name !== origin);
    if (next === null) return new Map(others);
    token = next.accessToken;
    return new Map([...others, [origin, next]]);
  });
  if (token === null)
    throw new CommandError(`you are not signed in at ${origin}. Run \`tollgate login --url ${origin}\`.`);
  return token;
}
