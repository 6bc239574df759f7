import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { commandSequence } from "./commands.ts";
import { createComparison } from "./compare.ts";
import { SERVERS } from "./engines.ts";

/** One wrong word in one function. A suite that lets any of these pass is blind. */
const BROKEN: readonly { name: string; fn: string; from: string; to: string }[] = [
  {
    name: "a check that forgets what is held",
    fn: "admit_v1",
    from: "q.least <= b.posted - b.held as fits",
    to: "q.least <= b.posted as fits",
  },
  {
    name: "an id that may be admitted twice",
    fn: "admit_v1",
    from: "union all\n    select hold_id from charge",
    to: "except\n    select hold_id from charge",
  },
  { name: "a rate that is not looked at when all fits", fn: "admit_v1", from: "cap is null", to: "true" },
  { name: "a stale key let in when all fits", fn: "admit_v1", from: "q.version = b.version and", to: "" },
  { name: "a period that does not turn", fn: "admit_v1", from: "and v_now < b.period_ends_at", to: "" },
  { name: "claims passed over when all fits", fn: "admit_v1", from: "q.sha is null and", to: "" },
  { name: "half of too much", fn: "admit_exact", from: "greatest(r.least, v_free / 2)", to: "v_free / 2" },
  {
    name: "refusals that use up the rate",
    fn: "admit_exact",
    from: "'rate_limited', 'reserved',",
    to: "'rate_limited',",
  },
  {
    name: "twelve cells for a minute",
    fn: "rate_wait_ms",
    from: "generate_series(1, 13)",
    to: "generate_series(2, 13)",
  },
  {
    name: "older holds given to the new period",
    fn: "balance_turned",
    from: "older_held = held",
    to: "older_held = 0",
  },
  {
    name: "a charge for a hold that is gone",
    fn: "settle_v1",
    from: "when h.id is null then null",
    to: "when false then null",
  },
  {
    name: "a failure that is charged",
    fn: "settle_v1",
    from: "when q.outcome in ('upstream_failed', 'voided') then 0",
    to: "when q.outcome = 'voided' then 0",
  },
  {
    name: "a swept hold that answers as settled",
    fn: "settle_v1",
    from: "c.kind not in ('swept', 'voided')",
    to: "c.kind not in ('voided')",
  },
  { name: "an overrun nobody books", fn: "settle_v1", from: "where charge > paid and not free", to: "where false" },
  {
    name: "a charge that takes from others' holds",
    fn: "settle_exact",
    from: "r.amount + b.posted - b.held",
    to: "r.amount + b.posted",
  },
  {
    name: "a claim freed although content was delivered",
    fn: "close_claims",
    from: "and not coalesce(q.delivered, false)",
    to: "",
  },
  {
    name: "a void that refunds again",
    fn: "void_v1",
    from: "      if found then\n        result := 'already';",
    to: "      if false then\n        result := 'already';",
  },
  {
    name: "write-offs that are never forgiven",
    fn: "write_off_v1",
    from: "and at > v_now - interval '1 hour'",
    to: "",
  },
  {
    name: "a sweep without grace",
    fn: "sweep_v1",
    from: "v_now >= renewing_since + interval '15 seconds'",
    to: "true",
  },
  {
    name: "funding applied again by the same reference",
    fn: "funding_met",
    from: "where key_id = p_key and reference",
    to: "where false and reference",
  },
  { name: "a summary that shows the old period", fn: "usage_v1", from: "n.now >= b.period_ends_at", to: "false" },
];

const server = SERVERS[0];

describe.skipIf(server?.reason !== null)("with one word of the SQL wrong", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;

  // A database each: what a broken ledger leaves behind would accuse the next one.
  beforeEach(async () => {
    if (server) ({ database, close } = await server.open());
  });
  afterEach(() => close());

  const noticed = (runs: number): Promise<boolean> =>
    fc
      .assert(fc.asyncProperty(commandSequence(40), createComparison(database)), {
        seed: 11,
        numRuns: runs,
        endOnFailure: true,
      })
      .then(
        () => false,
        () => true,
      );

  test.each(BROKEN)("$name is noticed", async ({ fn, from, to }) => {
    const [row] = await database.query<{ text: string }>("select pg_get_functiondef($1::regproc) as text", [fn]);
    expect(row?.text).toContain(from);
    await database.script(row?.text.replaceAll(from, to) ?? "");

    expect(await noticed(150)).toBe(true);
  });

  test("and with none wrong nothing is noticed", async () => {
    expect(await noticed(15)).toBe(false);
  });
});
