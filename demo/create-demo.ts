import type { By } from "../src/core/people/by.ts";
import { systemClock } from "../src/core/clock.ts";
import { createDemoStore } from "./demo-store.ts";
import { demoCatalogue } from "./models.ts";
import { seedDemo } from "./seed.ts";
import { createLedgerStore } from "../src/ledger/turn/ledger-store.ts";
import { createRecordStore } from "../src/records/record-store.ts";
import { createOperatorEvents } from "../src/telemetry/operator-events.ts";
import { createLogger } from "../src/telemetry/log/logger.ts";
import { createOperator } from "../src/app/create-operator.ts";
import type { Credentials } from "../src/credentials/open-credentials.ts";
import type { Database } from "../src/db/database.ts";

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
