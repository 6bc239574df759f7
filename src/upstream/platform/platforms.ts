import { type Platform, type PlatformName, readPlatform } from "../../core/catalogue/platform.ts";
import type { Route } from "../../core/catalogue/route.ts";
import type { MessagesCloud } from "../../wire/messages/messages-quirks.ts";
import type { CallConvention, CallConventions } from "../call-convention.ts";
import { COMPATIBLE_PROVIDERS, hostIn, type Quirks, quirksAt } from "../providers.ts";
import { azure } from "./azure.ts";
import { BEDROCK } from "./bedrock.ts";
import type { PlatformConventions } from "./platform-conventions.ts";
import { VERTEX } from "./vertex.ts";

type PlatformRow = {
  conventions: (version: string | null) => PlatformConventions;
  /** The base URLs at its hosts that are called so without being told; all others there speak the formats as they are. Null: none is. */
  paths: RegExp | null;
  /** What its models of messages take in a body. */
  messages: MessagesCloud | null;
};

/** A new one does not compile until it has a row. */
const PLATFORMS: Record<PlatformName, PlatformRow> = {
  vertex: { conventions: () => VERTEX, paths: /\/projects\/[^/]+\/locations\/[^/]+$/, messages: "vertex" },
  bedrock: { conventions: () => BEDROCK, paths: /^\/?$/, messages: "bedrock" },
  azure: { conventions: azure, paths: null, messages: null },
};

type Place = Pick<Route, "baseUrl" | "platform">;

/** What a provider's row says, or else its address; null: it is called as its format says. */
function platformOf({ baseUrl, platform = null }: Place): Platform | null {
  if (platform !== null) return readPlatform(platform);
  const listed = COMPATIBLE_PROVIDERS.find(({ hosts }) => hosts.some(hostIn(baseUrl)));
  const name = listed?.platform ?? null;
  if (name === null) return null;
  return PLATFORMS[name].paths?.test(new URL(baseUrl).pathname) ? { name, version: null } : null;
}

/** How calls to a provider are made, and what is peculiar about it. */
export function conventionAt(
  { dialect, ...place }: Place & Pick<Route, "dialect">,
  conventions: CallConventions,
): { convention: CallConvention; quirks: Quirks } {
  const platform = platformOf(place);
  const [usual, quirks] = [conventions[dialect], quirksAt(place.baseUrl)];
  if (platform === null) return { convention: usual, quirks };
  const row = PLATFORMS[platform.name];
  return {
    convention: { ...usual, ...row.conventions(platform.version)[dialect] },
    quirks: {
      // What is usual in a cloud is usual wherever it is reached, behind a proxy, too.
      ...(COMPATIBLE_PROVIDERS.find(({ platform: name }) => name === platform.name) ?? quirks),
      messages: { cloud: row.messages },
    },
  };
}
