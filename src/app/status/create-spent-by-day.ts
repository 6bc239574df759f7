import { withoutJit } from "../../db/postgres/without-jit.ts";
import { ledgerAway } from "../../gateway/ask-ledger.ts";
import type { SpentByDay } from "../../gateway/client/show-client-usage.ts";
import { createReadUsage } from "../../ledger/report/usage-report-store.ts";
import { createReportUsage } from "../../ledger/report/usage-report.ts";
import { among } from "../data-plane/join-ledgers.ts";
import type { ProcessParts } from "../data-plane/process-parts.ts";

/** On the connections of operators: whoever asks what they spent keeps no generation waiting. */
export function createSpentByDay({ ledgers, database, operatorDatabase, random }: ProcessParts): SpentByDay {
  const of = among(
    ledgers.map(({ first, last, database: kept }) => {
      const reading = withoutJit(kept === database ? operatorDatabase : kept);
      return { first, last, reportUsage: createReportUsage({ readUsage: createReadUsage(reading) }) };
    }),
  );
  return async ({ bucket, accountId: id }, days) => {
    const asked = { scope: { kind: "account", id }, days, by: "model" } as const;
    const { days: spent } = await of(bucket)
      .reportUsage(asked)
      .catch((cause: unknown) => {
        throw ledgerAway(random, cause);
      });
    return spent;
  };
}
