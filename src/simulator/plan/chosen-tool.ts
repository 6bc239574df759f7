import { isObject } from "../../core/bytes/is-object.ts";
import type { JsonObject } from "../dialect.ts";
import { answerFitting } from "./schema-answer.ts";
import type { Script } from "./script.ts";

/** What a request says of calling tools: one, some of them, none, or nothing that a provider must heed. */
type Choice = { kind: "must"; name: string | null } | { kind: "must not" } | { kind: "free" };

type Offered = { name: string; schema: JsonObject };

/** The script as a provider would keep to it that is told which tool to call: a choice of the caller's binds whoever answers. */
export function heedingChoice(script: Script, body: JsonObject): Script {
  const choice = choiceIn(body);
  if (choice.kind === "free") return script;
  if (choice.kind === "must not") return { ...script, tool: null, tools: [] };
  const planned = script.tools.length > 0 ? script.tools : script.tool === null ? [] : [script.tool];
  if (choice.name === null ? planned.length > 0 : planned.includes(choice.name)) return script;
  const offered = offeredBy(body);
  const called = choice.name === null ? offered[0] : offered.find(({ name }) => name === choice.name);
  if (called === undefined) return script;
  return { ...script, tools: [], tool: called.name, toolArguments: answerFitting(called.schema) };
}

function choiceIn({ tool_choice: choice, toolConfig: config }: JsonObject): Choice {
  const amazon = isObject(config) ? config["toolChoice"] : undefined;
  if (isObject(amazon) && amazon["any"] !== undefined) return { kind: "must", name: null };
  if (isObject(amazon) && isObject(amazon["tool"])) return { kind: "must", name: nameIn(amazon["tool"]["name"]) };
  const google = isObject(config) && isObject(config["functionCallingConfig"]) ? config["functionCallingConfig"] : {};
  const { type = choice, name, function: described } = isObject(choice) ? choice : {};
  switch (google["mode"] ?? type) {
    case "function":
    case "custom":
    case "tool":
      return { kind: "must", name: nameIn(isObject(described) ? described["name"] : name) };
    case "required":
    case "any":
    case "ANY": {
      const { allowedFunctionNames: allowed } = google;
      return { kind: "must", name: nameIn(Array.isArray(allowed) ? allowed[0] : null) };
    }
    case "none":
    case "NONE":
      return { kind: "must not" };
    default:
      return { kind: "free" };
  }
}

/** Each dialect has a place of its own for a tool's name and for what it takes. */
function offeredBy({ tools, toolConfig: config }: JsonObject): Offered[] {
  const amazon = isObject(config) ? config["tools"] : undefined;
  const declared = listOf(tools ?? amazon).flatMap((tool) =>
    Array.isArray(tool["functionDeclarations"]) ? listOf(tool["functionDeclarations"]) : [tool],
  );
  return declared.flatMap((tool) => {
    const described = [tool["function"], tool["toolSpec"]].find((inner) => isObject(inner)) ?? tool;
    const { name, parameters, input_schema: input, parametersJsonSchema: google, inputSchema: wrapped } = described;
    const held = isObject(wrapped) ? wrapped["json"] : undefined;
    const schema = [parameters, input, google, held].find((candidate) => isObject(candidate)) ?? {};
    return typeof name === "string" ? [{ name, schema }] : [];
  });
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter((item) => isObject(item)) : []);

const nameIn = (value: unknown): string | null => (typeof value === "string" ? value : null);
