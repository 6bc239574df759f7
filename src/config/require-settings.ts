import { ConfigError } from "./config-error.ts";
import { describeConfig } from "./describe.ts";
import type { LoadedConfig } from "./load-config.ts";

/** Throws if one of these optional settings, which a command requires, is unset. */
export function requireSettings({ config, sources }: LoadedConfig, paths: readonly string[]): void {
  const missing = describeConfig(config, sources).filter((row) => paths.includes(row.path) && row.value === "unset");
  if (missing.length === 0) return;
  throw new ConfigError(
    missing.map(({ path, environment }) => ({
      path,
      source: environment,
      message: `is required for this command. Set ${environment}, or ${path} in the file.`,
    })),
  );
}
