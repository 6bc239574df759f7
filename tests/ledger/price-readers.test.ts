import { join } from "node:path";
import { Command } from "commander";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addPriceOptions, type PriceOptions, partsOf } from "../../src/cli/price-options.ts";
import { createId } from "../../src/core/ids.ts";
import { priceLines, roundedSum } from "../../src/core/money/price-lines.ts";
import { chargeOf } from "../../src/core/money/pay-rate.ts";
import {
  byPart,
  byWord,
  countsOf,
  NEEDED_PARTS,
  OPTIONAL_PARTS,
  type Tariff,
  TARIFF_PARTS,
  type TariffPart,
  tokensOf,
  wordOf,
} from "../../src/core/money/price.ts";
import { NO_USAGE, type Usage } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { createReadStatement } from "../../src/ledger/report/statement-store.ts";
import { verify } from "../../src/ledger/verify/verify.ts";
import { createVerifyStore } from "../../src/ledger/verify/verify-store.ts";
import { createShowStore } from "../../src/records/show-store.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { ENGINES } from "./engines.ts";

const NOON_MS = Date.UTC(2026, 0, 5, 12);
const NANO = 1_000_000_000n;
/** Tokens of every part, no two of them as many. */
const USED: Usage = {
  ...NO_USAGE,
  inputTokens: 100_000,
  outputTokens: 20_000,
  cacheReadTokens: 3_000,
  cacheWriteTokens: 1_100,
  cacheWrite1hTokens: 400,
  reasoningTokens: 7_000,
  parts: {
    input_audio: 500,
    input_image: 600,
    input_video: 700,
    cache_read_audio: 800,
    output_audio: 900,
    output_image: 1_000,
  },
};

/** A price at which this part costs what no other does: whoever takes another part's price for it gets another sum. */
const tariffWith = (part: TariffPart): Tariff => ({
  ...byPart(NEEDED_PARTS, (name) => (name === part ? 7n : 2n) * NANO),
  ...byPart(OPTIONAL_PARTS, (name) => (name === part ? 7n : 2n) * NANO),
  toolCallNano: {},
});

const modelOf = (part: TariffPart): string => `priced-by-${wordOf(part)}`;
/** The console is a package of its own, so its types are not read here. */
const consoleModule = async (name: string): Promise<unknown> =>
  import(join(import.meta.dirname, "../../console/src/pages", name));

test.each(TARIFF_PARTS)(
  "the command line sets the price of %s, and the console has a row and words for it",
  async (part) => {
    const { PRICE_PARTS } = (await consoleModule("models/price-parts.ts")) as { PRICE_PARTS: { part: string }[] };
    const { lineWords } = (await consoleModule("requests/words.ts")) as { lineWords: (what: string) => string };
    const command = addPriceOptions(new Command()).exitOverride();
    command.parse([`--${wordOf(part).replaceAll("_", "-")}`, "40"], { from: "user" });
    const { [part]: set } = partsOf(command.opts<PriceOptions>());

    expect(set).toBe(40n * NANO);
    expect(PRICE_PARTS).toContainEqual(expect.objectContaining({ part: wordOf(part) }));
    expect(lineWords(wordOf(part))).toBe(countsOf(part));
  },
);

const [server] = ENGINES;

describe.skipIf(server?.reason !== null)("a charge of tokens of every part", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  const charged = new Map<TariffPart, { id: string; key: LoneKey; price: bigint }>();

  beforeAll(async () => {
    if (!server) return;
    ({ database, close } = await server.open());
    await database.query("update test_clock set now = $1", [new Date(NOON_MS)]);
    await database.query("update migration set applied_at = $1", [new Date(NOON_MS - 86_400_000)]);
    const ledger = createLedgerStore(database);
    for (const [index, part] of TARIFF_PARTS.entries()) {
      const tariff = tariffWith(part);
      const columns = Object.entries(byWord(TARIFF_PARTS, (name) => tariff[name])).map(([word]) => `${word}_nano`);
      const model = modelOf(part);
      await database.query(
        "insert into model (id, owned_by, provider, max_output_tokens) values ($1, 'a', 'p', 100000)",
        [model],
      );
      await database.query(
        `insert into price (model_id, version, effective_from, ${columns.join(", ")})
         select $1, 1, now(), ${columns.map((_, at) => `$${at + 2}::bigint`).join(", ")}`,
        [model, ...TARIFF_PARTS.map((name) => tariff[name])],
      );
      const key = await loneKey(database, { keyId: createId(NOON_MS + index), funds: 10n * NANO });
      const ask = askOf(key, { id: createId(NOON_MS + index), most: 5n * NANO, model });
      const price = chargeOf(tariff, USED);
      await ledger.admit(createId(NOON_MS), [ask]);
      const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
      await ledger.settle([endOf(ask, { price, usage: USED, record })]);
      charged.set(part, { id: ask.id, key, price });
    }
  });
  afterAll(() => close());

  const chargeAt = (part: TariffPart) => {
    const charge = charged.get(part);
    if (charge === undefined) throw new Error(`no charge for ${part}`);
    return charge;
  };

  test.each(TARIFF_PARTS)("has tokens of %s, whose price is in the sum", (part) => {
    const dearer = tariffWith(part);

    expect(tokensOf(part, USED)).toBeGreaterThan(0n);
    expect(chargeAt(part).price - chargeOf({ ...dearer, [part]: 2n * NANO }, USED)).toBe(
      (5n * NANO * tokensOf(part, USED)) / 1_000_000n,
    );
  });

  test.each(TARIFF_PARTS)("is recomputed to the nano at the price of %s [I7]", async (part) => {
    const { keyId } = chargeAt(part).key;
    const scope = { keyId, recompute: true, onProgress: () => undefined };

    expect(await verify(createVerifyStore(database), scope)).toMatchObject({ recomputed: 1, mismatches: [] });
  });

  test.each(TARIFF_PARTS)("is shown line by line at the price of %s", async (part) => {
    const { id, price } = chargeAt(part);
    const shown = await createShowStore(database).charge(id);
    if (!shown?.tariff) throw new Error(`no charge is shown for ${part}`);
    const lines = priceLines(shown.tariff, shown.usage);

    expect(roundedSum(lines)).toBe(price);
    expect(lines).toContainEqual(
      expect.objectContaining({ what: wordOf(part), count: tokensOf(part, USED), unitPrice: 7n * NANO }),
    );
  });

  test.each(TARIFF_PARTS)("is on the statement with what it cost at the price of %s", async (part) => {
    const { key, price } = chargeAt(part);
    const [row] = await database.query<{ account: string }>("select account_id as account from key where id = $1", [
      key.keyId,
    ]);

    expect(await createReadStatement(database)(row?.account ?? "", "2026-01")).toMatchObject({
      charged: price,
      lines: [{ model: modelOf(part), credits: price }],
    });
  });
});
