import { Fault } from "../core/fault.ts";
import { ACCEPTABLE_ALARMS, type AcceptableAlarm, type AcceptedAlarm } from "../core/money/money-alarm.ts";
import type { Database } from "../db/database.ts";
import { underCatalogueLock } from "./lock-store.ts";
import type { CatalogueDesk } from "./model.ts";
import { requireModel } from "./require-model-store.ts";

/** By kind, as the column has them. */
export type AcceptedRow = { readonly [Kind in AcceptableAlarm]?: Omit<AcceptedAlarm, "kind"> };

export const acceptedOf = (row: AcceptedRow): AcceptedAlarm[] =>
  ACCEPTABLE_ALARMS.flatMap((kind) => {
    const accepted = row[kind];
    return accepted === undefined ? [] : [{ kind, ...accepted }];
  });

const ACCEPT =
  "update model set accepted_alarms = accepted_alarms || jsonb_build_object($2::text, $3::jsonb) where id = $1";

export const createAlarmDesk = (database: Database): Pick<CatalogueDesk, "acceptAlarm" | "withdrawAlarm"> => ({
  acceptAlarm: (modelId, { kind, ...accepted }) =>
    underCatalogueLock(database, async (tx) => {
      await requireModel(tx, modelId);
      await tx.query(ACCEPT, [modelId, kind, JSON.stringify(accepted)]);
    }),
  withdrawAlarm: (modelId, kind) =>
    underCatalogueLock(database, async (tx) => {
      await requireModel(tx, modelId);
      const sql = "select accepted_alarms as row from model where id = $1";
      const [found] = await tx.query<{ row: AcceptedRow }>(sql, [modelId]);
      const accepted = acceptedOf(found?.row ?? {}).find((one) => one.kind === kind);
      if (accepted === undefined)
        throw new Fault("not_found", `Alarms of the kind ${kind} are not accepted for model ${modelId}.`);
      await tx.query("update model set accepted_alarms = accepted_alarms - $2::text where id = $1", [modelId, kind]);
      return accepted;
    }),
});
