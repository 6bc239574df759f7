import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { invalid } from "../ask/refusal.ts";

const NAME = /^[a-zA-Z_][\w.:-]{0,127}$/;
const MODES = ["AUTO", "ANY", "NONE", "VALIDATED"];

/** Refuses what Google refuses of the functions it is offered, and of how they are to be chosen. */
export function checkTools({ tools, toolConfig }: JsonObject): void {
  const declared = objectsIn(tools).flatMap((tool) => objectsIn(tool["functionDeclarations"]));
  if (declared.length > 0 && objectsIn(tools).some((tool) => tool["googleSearch"] !== undefined))
    throw invalid("Tool use with function calling is unsupported by the model.", "tools");
  const names = declared.map(({ name }) => String(name));
  for (const [index, { parameters, parametersJsonSchema: schema }] of declared.entries()) {
    const at = `tools[0].function_declarations[${index}]`;
    if (!NAME.test(names[index] ?? ""))
      throw invalid(
        `* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
        at,
      );
    if (names.indexOf(names[index] ?? "") !== index)
      throw invalid(`Duplicate function declaration found: ${names[index]}`, at);
    if (parameters !== undefined && schema !== undefined)
      throw invalid("Only one of parameters and parameters_json_schema may be set.", at);
  }
  const config = isObject(toolConfig) ? toolConfig["functionCallingConfig"] : undefined;
  if (isObject(config)) checkChoice(config, names);
}

function checkChoice({ mode = "AUTO", allowedFunctionNames: allowed }: JsonObject, names: readonly string[]): void {
  if (!MODES.includes(String(mode)))
    throw invalid(`Invalid value at 'tool_config.function_calling_config.mode': "${String(mode)}"`);
  if (mode !== "AUTO" && mode !== "NONE" && names.length === 0)
    throw invalid("Function calling config is set without function_declarations.", "tool_config");
  if (!Array.isArray(allowed) || allowed.length === 0) return;
  if (mode !== "ANY" && mode !== "VALIDATED")
    throw invalid(
      "Allowed function names can only be set when the function calling mode is ANY or VALIDATED.",
      "tool_config",
    );
  const unknown = allowed.find((name) => !names.includes(String(name)));
  if (unknown !== undefined) throw invalid(`Allowed function name ${String(unknown)} is not declared.`, "tool_config");
}

const objectsIn = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter((each) => isObject(each)) : []);
