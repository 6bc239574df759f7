import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";
import { checkName, kindOf } from "./check-blocks.ts";
import type { Message } from "./check-messages.ts";

/** Refuses what Amazon refuses of the tools that it is told, and of how they are to be chosen. */
export function checkTools({ toolConfig }: JsonObject, messages: readonly Message[]): readonly unknown[] {
  const used = messages.some(({ content }) =>
    content.some(({ toolUse, toolResult }) => toolUse !== undefined || toolResult !== undefined),
  );
  if (toolConfig === undefined) {
    if (used)
      throw invalid(
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        "toolConfig",
      );
    return [];
  }
  const { tools, toolChoice, ...more } = isObject(toolConfig) ? toolConfig : {};
  if (!Array.isArray(tools) || tools.length === 0 || Object.keys(more).length > 0)
    throw invalid(
      "Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
      "toolConfig",
    );
  const names = tools.flatMap((tool: unknown, index) => nameOf(tool, `toolConfig.tools.${index}`));
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw invalid(`The tool ${twice} is already defined at toolConfig.tools.`, "toolConfig");
  if (toolChoice !== undefined) checkChoice(toolChoice, names);
  return tools;
}

function nameOf(tool: unknown, at: string): string[] {
  if (kindOf(tool, at, ["toolSpec", "cachePoint"]) === "cachePoint") return [];
  const { name, description, inputSchema, ...more } = (tool as { toolSpec: JsonObject }).toolSpec;
  checkName(name, `${at}.toolSpec.name`);
  if (description !== undefined && !(typeof description === "string" && /\S/.test(description)))
    throw invalid(`Value at '${at}.toolSpec.description' must not be blank.`, at);
  const schema = isObject(inputSchema) ? inputSchema["json"] : undefined;
  if (!isObject(schema) || schema["type"] !== "object" || Object.keys(more).length > 0)
    throw invalid(`The value at ${at}.toolSpec.inputSchema.json.type must be one of the following: object.`, at);
  return [String(name)];
}

function checkChoice(choice: unknown, names: readonly string[]): void {
  if (kindOf(choice, "toolConfig.toolChoice", ["auto", "any", "tool"]) !== "tool") return;
  const { name } = (choice as { tool: JsonObject }).tool;
  if (!names.includes(String(name)))
    throw invalid(`The tool ${String(name)} in toolConfig.toolChoice is not defined.`, "toolConfig");
}
