import { z } from "zod";
import { type Setting, settingRegistry } from "./settings/setting.ts";
import { settings } from "./settings.ts";

/** A setting with its place. */
export type Field = Setting & {
  /** As it is written in the file and in messages: `limits.body_bytes`. */
  path: string;
  group: string | null;
  key: string;
  environment: string;
  /** The default as it would be written in the file. */
  fallback: string | number | null;
};

/** Every setting, in the order of the schema. */
export const listFields = (): Field[] => fieldsOf(settings.shape, null);

/** What a group is for, by its name. */
export const describeGroup = (name: string): string =>
  (settings.shape as Record<string, z.ZodType>)[name]?.description ?? "";

function fieldsOf(shape: Record<string, z.ZodType>, group: string | null): Field[] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    if (schema instanceof z.ZodPrefault) return fieldsOf((schema.unwrap() as z.ZodObject).shape, key);
    const setting = settingRegistry.get(schema);
    if (!setting) throw new Error(`the setting ${key} has no description`);
    const path = group === null ? key : `${group}.${key}`;
    const environment = setting.environment ?? `TOLLGATE_${path.replace(".", "_").toUpperCase()}`;
    return [{ ...setting, path, group, key, environment, fallback: schema.parse(undefined) as Field["fallback"] }];
  });
}
