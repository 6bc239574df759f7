import { Gauge, type Registry } from "@prometheus-io/client";
import { BUILD_GAUGES } from "./metric-table.ts";

/** What runs in this process, and the schema that it brings. */
export type Build = {
  version: string;
  commit: string | null;
  schema: { migration: string; edition: number | null };
};

/** Called once per process. */
export function exposeBuild(registry: Registry, { version, commit, schema }: Build): void {
  const { name, help, labels, overWorkers } = BUILD_GAUGES.buildInfo;
  const gauge = new Gauge({ name, help, labelNames: labels, aggregator: overWorkers, registers: [registry] });
  gauge.set({ version, commit: commit ?? "", migration: schema.migration, edition: String(schema.edition ?? "") }, 1);
}
