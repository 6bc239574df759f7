import { ORIGIN_PREFIX } from "../../core/people/key-mode.ts";
import { allowedRegions } from "../../core/catalogue/region.ts";
import { allowedTiers } from "../../keys/key.ts";
import type { ClientSessions } from "../../keys/client-session.ts";
import type { CounterSummary } from "../../ledger/ledger.ts";
import type { HolderView } from "../../wire/holder/holder.ts";
import type { ShowUsage } from "../show-usage.ts";
import type { KeyHolder } from "./holder-door.ts";
import { ownSessions } from "./list-sessions.ts";

/** GET /me: the key, what it has used, and everything that limits it. */
export type ShowHolder = (holder: KeyHolder) => Promise<HolderView>;

type Parts = { showUsage: ShowUsage; listSessions: ClientSessions["list"]; publicUrl: string | null };

export const createShowHolder =
  ({ showUsage, listSessions, publicUrl }: Parts): ShowHolder =>
  async ({ key, session }) => {
    const [{ body: usage, shown }, sessions] = await Promise.all([showUsage(key), ownSessions(key, listSessions)]);
    const origin = publicUrl === null ? null : `${publicUrl}${ORIGIN_PREFIX[key.mode]}`;
    const shownKey = { ...key, tiers: allowedTiers(key), regions: allowedRegions(key) };
    const person = sessions.find(({ id }) => id === key.id) ?? null;
    return { usage, key: shownKey, origin, limits: shown.map(limitOf), session, person };
  };

const limitOf = ({ holder, kind, unit, models, period, renewsAtMs, posted, held, used, amount }: CounterSummary) => ({
  account: holder,
  kind,
  unit,
  models,
  period,
  amount: kind === "limit" ? amount : null,
  charged: used,
  reserved: held,
  available: posted - held,
  renewsAtMs,
});
