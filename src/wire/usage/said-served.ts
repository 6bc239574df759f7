import type { SaidServed } from "../../core/money/usage.ts";
import { ANY_REGION, PLAIN_TIER } from "../../core/money/rate-rows.ts";

/** What providers call what everybody is served. */
const ORDINARY: ReadonlySet<string> = new Set([
  "auto",
  "default",
  "standard",
  "standard_only",
  "on_demand",
  "provisioned_throughput",
]);

/** One tier, whose name changed. */
const RENAMED: Readonly<Record<string, string>> = { fast: "priority" };

/** What is no name of a tier or a region is not repeated. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const MODEL = /^[\w.:/@-]{1,80}$/;
const OTHER = "other";

/** A tier as an answer names it; undefined: it names none. */
export function tierSaid(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  const name = value.toLowerCase().replace(/^on_demand_/, "");
  if (ORDINARY.has(name)) return PLAIN_TIER;
  if (!NAME.test(name)) return OTHER;
  return Object.hasOwn(RENAMED, name) ? RENAMED[name] : name;
}

/** A tier as a request names it: in the very words that a provider is sent. */
export function tierAsked(value: unknown): string {
  if (typeof value !== "string" || value === "auto" || value === "default") return PLAIN_TIER;
  return Object.hasOwn(RENAMED, value) ? (RENAMED[value] ?? value) : value;
}

/** How fast a model of the messages format answered, which is a tier of its own there. */
export const speedSaid = (value: unknown): string | undefined => {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (name === "") return undefined;
  if (ORDINARY.has(name)) return PLAIN_TIER;
  return NAME.test(name) ? name : OTHER;
};

const UNSAID: ReadonlySet<string> = new Set(["not_available", "unspecified"]);
const ANYWHERE = "global";

export function regionSaid(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  const name = value.toLowerCase();
  if (UNSAID.has(name)) return undefined;
  if (name === ANYWHERE) return ANY_REGION;
  return NAME.test(name) ? name : OTHER;
}

/** Different models among those that are named, a few at most. */
export const modelsSaid = (named: readonly unknown[]): readonly string[] =>
  [...new Set(named.map(modelSaid).filter((name) => name !== undefined))].slice(0, MOST_MODELS);

const MOST_MODELS = 4;

function modelSaid(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return MODEL.test(value) ? value : OTHER;
}

/** For a usage: nothing where nothing was said. */
export function servedSaid(
  tier: string | undefined,
  region?: string,
  models: readonly string[] = [],
): { served?: SaidServed } {
  if (tier === undefined && region === undefined && models.length === 0) return {};
  return {
    served: {
      ...(tier === undefined ? {} : { tier }),
      ...(region === undefined ? {} : { region }),
      ...(models.length === 0 ? {} : { models }),
    },
  };
}
