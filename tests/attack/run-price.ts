import { setTimeout as sleep } from "node:timers/promises";
import { parseCredits } from "../../src/core/money/money.ts";
import type { Account } from "./account.ts";
import type { Lane, LaneStage, PriceAttempt } from "./attempt.ts";
import { ask, openStream, type Sent } from "./client.ts";
import { bodyOf, PATHS } from "./formats.ts";
import { listPrice, tokensOf } from "./price.ts";
import { modelIdOf } from "./models.ts";
import { type LanePayer, makePayer } from "./payer.ts";
import { type Stage, WRITE_OFF_CAP, WRITE_OFF_CAP_TOKENS } from "./stage.ts";
import { judgeLane, type LaneFigures, type LaneVerdict } from "./verdict.ts";

export type PriceResult = LaneFigures & LaneVerdict;

const DEFAULT_CREDIT = "0.2";
const OTHERS_CREDIT = "10";
/** A bound for what hangs: a busy machine takes its time. */
const SETTLE_MS = 90_000;

/** Makes the attempt on each of its lanes at once, each with a key and a model of its own. */
export async function runPrice(stage: Stage, attempt: PriceAttempt): Promise<PriceResult[]> {
  return Promise.all(
    attempt.lanes.map(async (lane) => {
      const figures = await figuresOf(stage, attempt, lane);
      const verdict = judgeLane(figures, attempt.cap, capOf(lane, figures));
      const idle = figures.price === 0n && attempt.refusable !== true ? "the provider produced nothing" : "";
      const broke = figures.broke === "" ? idle : figures.broke;
      return { ...figures, ...verdict, ...(broke !== "" && { held: false, why: broke }) };
    }),
  );
}

/** The cap of the lane's unit, in nano-credits at the list price of what was tried. */
function capOf({ unit }: Lane, { price, tokens }: LaneFigures): bigint {
  if (unit === "credit") return parseCredits(WRITE_OFF_CAP) ?? 0n;
  return tokens === 0 ? 0n : (BigInt(WRITE_OFF_CAP_TOKENS) * price) / BigInt(tokens);
}

async function figuresOf(stage: Stage, attempt: PriceAttempt, lane: Lane): Promise<LaneFigures & { broke: string }> {
  const { unit } = lane;
  const credit = attempt.credit ?? DEFAULT_CREDIT;
  const payer = await makePayer(stage, attempt, lane, credit);
  const { key } = payer;
  let added = 0n;
  const topUp = async (more: string): Promise<void> => {
    await stage.topUp(key.id, more);
    added += parseCredits(more) ?? 0n;
  };
  const model = modelIdOf(attempt, lane);
  const full = (await payer.accounts()[0]?.())?.balance ?? 0n;
  if (attempt.before !== undefined) {
    const other = { ...payer, key: await stage.makeKey(unit, OTHERS_CREDIT) };
    await attempt.before(laneStage({ stage, attempt, lane, payer: other, model, topUp }));
  }
  const earlier = (await stage.calls(model)).length;
  let broke = "";
  let sent = 0;
  const onSent = (): void => void (sent += 1);
  await attempt.run(laneStage({ stage, attempt, lane, payer, model, topUp, onSent })).catch((error: unknown) => {
    broke = String(error);
  });
  const after = await Promise.all(payer.accounts().map(settled));
  const calls = (await endedCalls(stage, model)).slice(earlier);

  const taken = after.reduce((sum, { balance }) => sum + full - balance, added);
  const tokens = BigInt(tokensOf(calls));
  const prices = calls.map((call) => listPrice([call]));
  return {
    lane,
    broke,
    tokens: Number(tokens),
    price: listPrice(calls),
    charged: unit === "credit" || tokens === 0n ? taken : (taken * listPrice(calls)) / tokens,
    dearest: prices.reduce((most, price) => (price > most ? price : most), 0n),
    unasked: Math.max(0, sent - calls.length),
    keyStatus: after[0]?.status ?? "",
    exhausted: after.every(({ balance }) => balance === 0n),
    writtenOff: after.reduce((sum, { writtenOff }) => sum + writtenOff, 0n),
    booksAgree: taken === after.reduce((sum, { charged }) => sum + charged, 0n),
  };
}

function laneStage(parts: {
  stage: Stage;
  attempt: PriceAttempt;
  lane: Lane;
  payer: LanePayer;
  model: string;
  topUp: (credit: string) => Promise<void>;
  onSent?: () => void;
}): LaneStage {
  const { stage, attempt, lane, payer, model, topUp, onSent = () => undefined } = parts;
  const { key, person, secondKey } = payer;
  const gateway = attempt.hasty === true ? stage.hasty : stage.gateway;
  const origin = lane.unit === "credit" ? gateway.url : `${gateway.url}/token`;
  const url = `${origin}${PATHS[lane.caller]}`;
  const sent = (body: Sent["body"], headers: Sent["headers"] = {}): Sent => ({
    url,
    secret: key.secret,
    body,
    headers,
  });
  return {
    ...lane,
    stage,
    keyId: key.id,
    secret: key.secret,
    person,
    account: payer.accounts()[0] ?? (() => stage.account(key.id)),
    model,
    url: origin,
    secondKey,
    topUp,
    body: (asked = {}) => bodyOf(lane.caller, { ...asked, model }),
    sent,
    ask: (body, headers) => {
      onSent();
      return ask(sent(body, headers));
    },
    open: (body, headers) => {
      onSent();
      return openStream(sent(body, headers));
    },
  };
}

/** The account once nothing is held, and what was booked late has been booked. */
async function settled(read: () => Promise<Account>): Promise<Account> {
  const untilMs = Date.now() + SETTLE_MS;
  let account = await read();
  for (let quiet = 0; quiet < 3 && Date.now() < untilMs;) {
    await sleep(100);
    const next = await read();
    quiet = next.holds === 0 && next.balance === account.balance && next.charges === account.charges ? quiet + 1 : 0;
    account = next;
  }
  return account;
}

/** What the provider wrote down, once it has ended everything. */
async function endedCalls(stage: Stage, model: string): ReturnType<Stage["calls"]> {
  for (const untilMs = Date.now() + SETTLE_MS; ; await sleep(50)) {
    const calls = await stage.calls(model);
    if (calls.every(({ ended }) => ended !== null) || Date.now() > untilMs) return calls;
  }
}
