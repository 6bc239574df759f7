import { createHash } from "node:crypto";

/** A tool that its caller runs itself, as a call of it must be told to that caller; most formats know functions alone. */
export type CallerTool = { kind: "function" | "custom" | "tool_search"; name: string; namespace: string | null };

/** Between a caller's tools and the names that providers know them by. */
export type ToolNames = {
  /** What a provider knows the tool by: its own name where every provider takes that, else the beginning of it and a digest. */
  nameOf: (tool: CallerTool) => string;
  /** What a provider means by that name; one it has made up is passed on as a function's. */
  calledBy: (name: string) => CallerTool;
};

/** What every provider takes for a name. */
const USABLE_NAME = /^[\w-]{1,64}$/;
const MOST_CHARACTERS = 64;
const DIGEST_CHARACTERS = 8;
const ENDS_IN_DIGEST = new RegExp(`_[\\da-f]{${DIGEST_CHARACTERS}}$`);

/** Whether a provider's name for a tool can be another than the caller's own. */
export const mayBeMade = (name: string): boolean => ENDS_IN_DIGEST.test(name);

/**
 * Names for the tools of one request, no two alike. A name depends on its tool and on those before it that ask for the same, so
 * that it is the same in every request of a conversation and providers find what they have cached of it.
 */
export function createToolNames(offered: readonly CallerTool[]): ToolNames {
  const names = new Map<string, string>();
  const tools = new Map<string, CallerTool>();

  function freeName(tool: CallerTool, identity: string): string {
    const plain = plainName(tool);
    if (USABLE_NAME.test(plain) && !tools.has(plain)) return plain;
    const start = plain.slice(0, MOST_CHARACTERS - DIGEST_CHARACTERS - 1).replaceAll(/[^\w-]/g, "_");
    for (let turn = 0; ; turn++) {
      const digest = createHash("sha256").update(`${turn} ${identity}`).digest("hex").slice(0, DIGEST_CHARACTERS);
      if (!tools.has(`${start}_${digest}`)) return `${start}_${digest}`;
    }
  }

  function nameOf(tool: CallerTool): string {
    const identity = JSON.stringify([tool.kind, tool.namespace, tool.name]);
    const known = names.get(identity);
    if (known !== undefined) return known;
    const free = freeName(tool, identity);
    names.set(identity, free);
    tools.set(free, tool);
    return free;
  }

  // Names that need no change are taken first, so that a tool keeps its own whatever is made of the others.
  for (const tool of offered) if (tool.namespace === null && USABLE_NAME.test(tool.name)) nameOf(tool);
  for (const tool of offered) nameOf(tool);
  return { nameOf, calledBy: (name) => tools.get(name) ?? functionNamed(name) };
}

/** The same for a format whose tools are functions, each known by its name. One without a name stays without. */
export function createFunctionNames(offered: readonly string[]) {
  const { nameOf, calledBy } = createToolNames(offered.filter((name) => name !== "").map(functionNamed));
  return {
    nameOf: (name: string): string => (name === "" ? name : nameOf(functionNamed(name))),
    calledBy: (name: string): string => calledBy(name).name,
  };
}

export type FunctionNames = ReturnType<typeof createFunctionNames>;

const functionNamed = (name: string): CallerTool => ({ kind: "function", name, namespace: null });

const plainName = ({ name, namespace }: CallerTool): string => (namespace === null ? name : `${namespace}__${name}`);
