import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import type { TurnAnswer } from "../../src/ledger/ledger.ts";
import { warmUp } from "../../src/ledger/turn/warm-up.ts";
import { SERVERS } from "./engines.ts";

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    if (reason === null) ({ database, close } = await open());
  });
  afterAll(() => close());

  test.skipIf(reason !== null)(
    "a warm-up asks for one and for several requests and leaves nothing behind",
    async () => {
      const ledger = createLedgerStore(database);
      const answers: TurnAnswer[] = [];
      const turn: typeof ledger.turn = async (...call) => {
        const answer = await ledger.turn(...call);
        answers.push(answer);
        return answer;
      };
      const processId = createId(systemClock.nowMs());
      await ledger.heartbeat(processId);

      await warmUp({ turn }, processId, systemClock);

      expect(answers.map(({ settled, verdicts }) => [settled.length, verdicts.length])).toEqual([
        ...Array.from({ length: 4 }, () => [1, 1]),
        ...Array.from({ length: 4 }, () => [2, 2]),
      ]);
      const said = answers.flatMap(({ settled, verdicts }) => [...settled, ...verdicts].map(({ kind }) => kind));
      expect(new Set(said)).toEqual(new Set(["fenced", "stale_key"]));
      const [left] = await database.query(
        "select (select count(*) from hold) + (select count(*) from charge) + (select count(*) from word) as rows",
      );
      expect(left).toEqual({ rows: 0n });
    },
  );
});
