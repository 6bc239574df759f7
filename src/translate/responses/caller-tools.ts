import { functionTool } from "../form/build-form.ts";
import type { Json } from "../../core/bytes/json.ts";
import { objectOf, objectsOf, textOf } from "../form/read-json.ts";
import type { ToolForm } from "../form/request-form.ts";
import { type CallerTool, createToolNames, type ToolNames } from "../form/tools/tool-names.ts";

/** Other formats know functions alone, each by one name. */
export type CallerTools = ToolNames & { forms: readonly ToolForm[] };

/** The member in which a function takes what a custom tool is given as plain text. */
export const CUSTOM_INPUT = "input";

/** What a search is called by; it is the only tool of this format that has no name. */
export const SEARCH: CallerTool = { kind: "tool_search", name: "tool_search", namespace: null };

type Offer = { tool: CallerTool; given: Json; about: string };

/** The tools of a request, and those that items of its conversation have brought since. */
export function readCallerTools(body: Json): CallerTools {
  const listed = objectsOf(body["tools"]).flatMap((given) => offersOf(given));
  // A tool that waits for a search of the caller's own is brought by it when it is found; one that must be called is not waited for.
  const searches = listed.some(({ tool }) => tool.kind === "tool_search");
  const demanded = objectOf(body["tool_choice"]);
  const offered = listed.filter(
    ({ tool, given }) => !searches || given["defer_loading"] !== true || isNamedBy(demanded, tool),
  );
  const brought = objectsOf(body["input"]).flatMap((item) => objectsOf(item["tools"]).flatMap((it) => offersOf(it)));
  const names = createToolNames([...offered, ...brought].map(({ tool }) => tool));
  const forms = offered.map((offer) => formOf(names.nameOf(offer.tool), offer));
  // What was searched for twice is brought twice, and no provider takes a name twice.
  const known = new Set(forms.map(({ name }) => name));
  for (const offer of brought) {
    const name = names.nameOf(offer.tool);
    if (!known.has(name)) forms.push(formOf(name, offer));
    known.add(name);
  }
  return { ...names, forms };
}

const isNamedBy = ({ type, name, namespace }: Json, tool: CallerTool): boolean =>
  type === tool.kind && name === tool.name && (namespace ?? null) === tool.namespace;

/** The tools of a list, each by itself. */
export const toolsIn = (list: unknown): CallerTool[] =>
  objectsOf(list)
    .flatMap((given) => offersOf(given))
    .map(({ tool }) => tool);

function offersOf(given: Json): Offer[] {
  const { type, name } = given;
  switch (type) {
    case "function":
    case "custom":
      return [{ tool: { kind: type, name: textOf(name), namespace: null }, given, about: "" }];
    case "tool_search":
      return given["execution"] === "client" ? [{ tool: SEARCH, given, about: "" }] : [];
    case "namespace":
      return objectsOf(given["tools"])
        .filter((member) => member["type"] === "function" || member["type"] === "custom")
        .flatMap((member) => offersOf(member))
        .map(({ tool, given: member }, index) => ({
          tool: { ...tool, namespace: textOf(name) },
          given: member,
          about: index === 0 ? groupWords(given) : "",
        }));
    default:
      return [];
  }
}

function formOf(name: string, { tool, given, about }: Offer): ToolForm {
  const { description, ...form } = functionTool({ ...given, name });
  const words = [description, tool.kind === "custom" ? grammarWords(given) : "", about].filter(Boolean);
  return {
    ...form,
    description: words.length === 0 ? null : words.join("\n\n"),
    ...(tool.kind === "custom" ? { schema: CUSTOM_SCHEMA, strict: null } : {}),
  };
}

const CUSTOM_SCHEMA: Json = Object.freeze({
  type: "object",
  properties: { [CUSTOM_INPUT]: { type: "string" } },
  required: [CUSTOM_INPUT],
});

/** Told once, with the first member: a caller may describe a group at length that has many. */
function groupWords({ name, description }: Json): string {
  const words = textOf(description);
  return words === "" ? "" : `This and every other \`${textOf(name)}__…\`: ${words}`;
}

/** A grammar binds the model where it was meant for; here it can only be told. */
function grammarWords({ format }: Json): string {
  const { syntax, definition } = objectOf(format);
  if (typeof definition !== "string") return "";
  return `\`${CUSTOM_INPUT}\` must follow this ${syntax === "regex" ? "regular expression" : "Lark grammar"}:\n${definition}`;
}
