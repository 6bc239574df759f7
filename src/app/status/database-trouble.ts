import type { Config } from "../../config/load-config.ts";
import { Fault } from "../../core/fault.ts";
import { DatabaseBusyError, wasTooSlow } from "../../db/database-error.ts";
import { troubleOf } from "../../db/trouble.ts";
import { ledgerFailureOf } from "../../ledger/turn/ledger-store.ts";

type Limits = Pick<Config["operator"], "connections" | "statementTimeoutMs">;

/**
 * What operators are told when the database did not do what they asked; null when that is not what went wrong. Nothing is wrong with
 * their request, and later it can be done.
 */
export const createDatabaseTrouble =
  ({ connections, statementTimeoutMs }: Limits) =>
  (error: unknown): Fault | null => {
    if (ledgerFailureOf(error) !== "lost") return null;
    if (error instanceof DatabaseBusyError)
      return unavailable(
        `All ${connections} database connections for operators are in use. Try again in a moment. If this happens often, raise operator.connections.`,
        { seconds: 2, cause: error },
      );
    if (wasTooSlow(error))
      return unavailable(
        `The database did not finish within ${statementTimeoutMs.toLocaleString("en-US")} ms and the statement was cancelled. Ask for less, such as a shorter time or a smaller page, or raise operator.statement_timeout_ms.`,
        { seconds: 10, cause: error },
      );
    const { words, fix, sqlState } = troubleOf(error);
    const name = sqlState === null ? "" : ` (SQLSTATE ${sqlState})`;
    return unavailable(`The database did not do this: ${words}${name}. ${fix}`, { seconds: 2, cause: error });
  };

const unavailable = (message: string, { seconds, cause }: { seconds: number; cause: unknown }): Fault =>
  new Fault("service_unavailable", message, { retryAfterSeconds: seconds, cause });
