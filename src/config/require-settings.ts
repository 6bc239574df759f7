import { ConfigError } from "./config-error.ts";
import { describeConfig } from "./describe.ts";
import type { LoadedConfig } from "./load-config.ts";

/** Refuses to go on while one of these optional settings is unset. A command knows what it cannot do without. */
export function requireSettings({ config, sources }: LoadedConfig, paths: readonly string[]): void {
  const missing = describeConfig(config, sources).filter((row) => paths.includes(row.path) && row.value === "unset");
  if (missing.length === 0) return;
  throw new ConfigError(
    missing.map(({ path, environment }) => ({ path, source: environment, message: "must be set for this command." })),
  );
}
