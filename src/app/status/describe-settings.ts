import { type ConfigRow, describeConfig, UNSET } from "../../config/describe.ts";
import type { Config, LoadedConfig } from "../../config/load-config.ts";

type DescribedSettings = { file: string | null; settings: ReturnType<typeof shown>[] };

/** Every setting of this process as operators see it: what is in force and where it came from. Of a secret, whether it is set. */
export const describeSettings = (
  config: Config,
  { sources, file }: Pick<LoadedConfig, "sources" | "file"> = { sources: new Map(), file: null },
): DescribedSettings => ({ file, settings: describeConfig(config, sources).map(shown) });

const shown = ({ path, value, source, environment, description, fallback, secret, from }: ConfigRow) => ({
  path,
  isSet: value !== UNSET,
  isSecret: secret,
  value: secret || value === UNSET ? null : value,
  fallback: secret || fallback === UNSET ? null : fallback,
  from,
  place: from === "default" ? null : source,
  environment,
  description,
});
