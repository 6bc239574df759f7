import type { By } from "../core/by.ts";
import { systemClock } from "../core/clock.ts";
import { createDemoStore } from "../demo/demo-store.ts";
import { demoCatalogue } from "../demo/models.ts";
import { seedDemo } from "../demo/seed.ts";
import { createLedgerStore } from "../ledger/ledger-store.ts";
import { createRecordStore } from "../records/record-store.ts";
import { createOperatorEvents } from "../telemetry/operator-events.ts";
import { createLogger } from "../telemetry/logger.ts";
import { createOperator } from "./create-operator.ts";
import type { Credentials } from "../credentials/open-credentials.ts";
import type { Database } from "../db/database.ts";

type Order = {
  database: Database;
  credentials: Credentials;
  simulatorUrl: string;
  credentialRef: string;
  by: By;
  /** The owner's, who signs in to the console. */
  password: string;
  seed: string;
  endMs: number;
  days: number;
  tell: (day: number, requests: number) => void;
};

export type SeededDemo = { requests: number; secrets: ReadonlyMap<string, string> };

/** Fills an empty database with the traffic of an organisation; see `demo/seed.ts`. What is changed in it is not logged again. */
export async function createDemo({
  database,
  credentials,
  simulatorUrl,
  credentialRef,
  ...order
}: Order): Promise<SeededDemo> {
  let now: number | null = null;
  const clock = { ...systemClock, nowMs: () => now ?? systemClock.nowMs() };
  const logger = createLogger({ level: "error", clock, destination: { write: () => undefined } });
  const operator = createOperator({
    database,
    credentials,
    events: createOperatorEvents({ logger }),
    clock,
    acceptForeign: "off",
  });
  const secrets = new Map<string, string>();
  const { requests } = await seedDemo({
    ...order,
    store: createDemoStore(database),
    ledger: createLedgerStore(database),
    records: createRecordStore(database),
    scene: { operator, password: order.password, secrets },
    setNow: (nowMs) => {
      now = nowMs;
    },
    catalogue: demoCatalogue({ simulatorUrl, credentialRef }, "first"),
  });
  return { requests, secrets };
}
