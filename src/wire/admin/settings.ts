import { z } from "zod";
import type { ReadAs, WrittenAs } from "../validate.ts";

const settingSchema = z
  .object({
    path: z
      .string()
      .describe("Name of the setting in the file.")
      .meta({ examples: ["limits.body_bytes"] }),
    is_set: z.boolean().describe("True if it has a value, also by default."),
    secret: z.boolean().describe("True if its value is never shown."),
    value: z
      .string()
      .nullable()
      .describe("The value in force; null: unset, or a secret.")
      .meta({ examples: ["33554432"] }),
    default: z
      .string()
      .nullable()
      .describe("The value that it has by default; null: none.")
      .meta({ examples: ["33554432"] }),
    source: z
      .enum(["default", "file", "environment", "command"])
      .describe("Where the value came from. `command`: the command that runs the gateway chose it."),
    place: z
      .string()
      .nullable()
      .describe("Line of the file, name of the variable or of the command; null: it is the default.")
      .meta({ examples: ["tollgate.yaml:12:3"] }),
    environment: z
      .string()
      .describe("The variable that sets it.")
      .meta({ examples: ["TOLLGATE_LIMITS_BODY_BYTES"] }),
    description: z
      .string()
      .describe("What it is for.")
      .meta({ examples: ["Largest request body, in bytes."] }),
  })
  .meta({ id: "Setting" })
  .transform(({ is_set: isSet, secret: isSecret, default: fallback, source: from, ...rest }) => ({
    ...rest,
    isSet,
    isSecret,
    fallback,
    from,
  }));

export const settingsSchema = z.object({
  file: z
    .string()
    .nullable()
    .describe("The settings file that was read; null: none.")
    .meta({ examples: ["tollgate.yaml"] }),
  settings: z.array(settingSchema).describe("Every setting, in the order of the reference."),
});

/** The settings of a process, without its secrets. */
export type ShownSettings = ReadAs<typeof settingsSchema>;

export const settingsView = ({ file, settings }: ShownSettings): WrittenAs<typeof settingsSchema> => ({
  file,
  settings: settings.map(({ path, isSet, isSecret, value, fallback, from, place, environment, description }) => ({
    path,
    is_set: isSet,
    secret: isSecret,
    value,
    default: fallback,
    source: from,
    place,
    environment,
    description,
  })),
});
