import { z } from "zod";
import { settings } from "./settings.ts";

/** The schema editors use to complete and check `tollgate.yaml`. */
export function createJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(settings, { io: "input" });
  return { $schema, title: "tollgate.yaml", ...schema };
}
