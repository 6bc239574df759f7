import { z } from "zod";
import { type Unit, UNITS } from "../../core/money/amount.ts";
import { COUNTER_KINDS } from "../../core/money/counter.ts";
import { renamed } from "../codec.ts";
import { csv } from "../csv.ts";
import { instant } from "../instant.ts";
import { amountIn } from "./amounts.ts";
import { type ReadAs, written, type WrittenAs } from "../validate.ts";

/** The page of a ledger that runs in a unit. */
const ledgerIn = (unit: Unit) => {
  const entry = renamed(
    z.object({
      at: instant,
      settled_at: instant.nullable(),
      kind: z.string(),
      credits: amountIn("credit").nullable(),
      tokens: amountIn("tokens").nullable(),
      running: amountIn(unit).nullable(),
      request_id: z.string().nullable(),
      model: z.string().nullable(),
      price_version: z.int().nullable(),
      input_tokens: z.int().nullable(),
      output_tokens: z.int().nullable(),
      reference: z.string().nullable(),
    }),
    {
      atMs: "at",
      settledAtMs: "settled_at",
      requestId: "request_id",
      priceVersion: "price_version",
      inputTokens: "input_tokens",
      outputTokens: "output_tokens",
    },
  );
  const json = z.object({
    unit: z.enum(UNITS),
    counter_kind: z.enum(COUNTER_KINDS).nullable(),
    data: z.array(entry),
    next: z.string().nullable(),
  });
  return { entry, page: renamed(json, { counterKind: "counter_kind" }) };
};

const LEDGERS = { credit: ledgerIn("credit"), tokens: ledgerIn("tokens") } satisfies Record<Unit, unknown>;

/** What GET /me/ledger answers. The JSON is alike in both units. */
export const { page: holderLedger, entry: holderEntry } = LEDGERS.credit;

export type HolderLedger = ReadAs<typeof holderLedger>;
export type HolderLedgerBody = WrittenAs<typeof holderLedger>;

export const writeLedger = (ledger: HolderLedger): HolderLedgerBody => written(LEDGERS[ledger.unit].page, ledger);

const COLUMNS = Object.keys(holderEntry.in.shape) as (keyof typeof holderEntry.in.shape)[];

export const ledgerCsv = ({ data }: HolderLedgerBody): string =>
  csv([COLUMNS, ...data.map((row) => COLUMNS.map((column) => row[column]))]);
