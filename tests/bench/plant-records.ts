/**
 * Fills an empty, migrated database with request records and the books that go with them, for measurements.
 * Usage: scripts/with-node node tests/bench/plant-records.ts --database URL [--records N] [--charges N] [--days N]
 */
import { parseArgs } from "node:util";
import { plant } from "./planted/plant.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string" },
    records: { type: "string", default: "5000000" },
    charges: { type: "string", default: "2000000" },
    days: { type: "string", default: "30" },
  },
});
if (values.database === undefined) throw new Error("--database URL is missing");

const startedMs = performance.now();
await plant({
  url: values.database,
  records: Number(values.records),
  charges: Number(values.charges),
  days: Number(values.days),
  tell: (line) => console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(4)} s  ${line}`),
});
