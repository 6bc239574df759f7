import { formatAmount } from "../../core/amount.ts";
import { ORIGIN_PREFIX } from "../../core/key-mode.ts";
import type { ClientSessions } from "../../keys/client-session.ts";
import type { CounterSummary } from "../../ledger/ledger.ts";
import type { HolderBody } from "../../wire/holder/holder.ts";
import type { ShowUsage } from "../show-usage.ts";
import type { KeyHolder } from "./holder-door.ts";
import { ownSessions } from "./list-sessions.ts";

/** GET /me: the key, what it has used, and everything that limits it. */
export type ShowHolder = (holder: KeyHolder) => Promise<HolderBody>;

type Parts = { showUsage: ShowUsage; listSessions: ClientSessions["list"]; publicUrl: string | null };

export const createShowHolder =
  ({ showUsage, listSessions, publicUrl }: Parts): ShowHolder =>
  async ({ key, session }) => {
    const [{ body, shown }, sessions] = await Promise.all([showUsage(key), ownSessions(key, listSessions)]);
    const signedIn = sessions.find(({ id }) => id === key.id);
    return {
      ...body,
      object: "key_holder",
      key: {
        ...body.key,
        id: key.id,
        models: key.models === null ? null : [...key.models],
        created_at: instantOf(key.createdAtMs),
        expires_at: key.expiresAtMs === null ? null : instantOf(key.expiresAtMs),
      },
      origin: publicUrl === null ? null : `${publicUrl}${ORIGIN_PREFIX[key.mode]}`,
      limits: shown.map(limitOf),
      session: session === null ? null : { expires_at: instantOf(session.expiresAtMs) },
      person: signedIn === undefined ? null : { email: signedIn.email, name: signedIn.name, account: signedIn.account },
    };
  };

function limitOf(counter: CounterSummary): HolderBody["limits"][number] {
  const { unit, kind, models, period, renewsAtMs, holder, posted, held, used, amount } = counter;
  const write = (value: bigint): string => formatAmount(unit, value);
  return {
    account: holder,
    kind,
    unit,
    models: models === null ? null : [...models],
    period,
    amount: kind === "limit" ? write(amount) : null,
    charged: write(used),
    reserved: write(held),
    available: write(posted - held),
    renews_at: renewsAtMs === null ? null : instantOf(renewsAtMs),
  };
}

const instantOf = (ms: number): string => new Date(ms).toISOString();
