import { isOwnVariable } from "../../config/read/variable-names.ts";
import { CLOUD_REFERENCE } from "../../core/catalogue/cloud-reference.ts";
import { PLATFORM } from "../../core/catalogue/platform.ts";
import { completeUrl, placeholdersOf, PRESETS } from "../../core/catalogue/provider-presets.ts";
import type { ProviderTerms } from "../../core/catalogue/provider-terms.ts";
import { CommandError } from "../report-failure.ts";

type Options = {
  url?: string;
  credential?: string;
  preset?: string;
  region?: string;
  resource?: string;
  project?: string;
  unknownMembers?: "forward" | "drop";
  openMembers?: string;
  contextWindow?: "strict";
  traceparent?: "send";
  platform?: string;
};

export type ProviderOrder = Required<ProviderTerms> & { name: string; baseUrl: string; credentialRef: string };

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MEMBER = /^[\w-]{1,64}\*?$/;
const REFERENCE = new RegExp(String.raw`^(?:env:([A-Z][A-Z0-9_]{0,127})|file:\/.+|stored|none|${CLOUD_REFERENCE})$`);

/** What `providers add` asks for. What looks like a secret in the wrong place is not repeated in any message. */
export function readProviderOrder(name: string, options: Options): ProviderOrder {
  const {
    url,
    credential,
    preset,
    unknownMembers = null,
    openMembers,
    contextWindow = null,
    traceparent = null,
    platform,
  } = options;
  const known = preset === undefined ? undefined : PRESETS[preset];
  const [baseUrl, credentialRef] = [url ?? known?.url, credential ?? known?.credential];
  if (!NAME.test(name) || name === "all") {
    throw new CommandError(
      "a provider's name is 1 to 64 letters, digits, dots, dashes or underscores. It cannot be `all`, which means every provider.",
    );
  }
  if (baseUrl === undefined || credentialRef === undefined) {
    throw new CommandError("pass --url and --credential (or --credential-stdin), or a --preset that has both.");
  }
  return {
    name,
    baseUrl: readUrl(yourOwn(baseUrl, options)),
    credentialRef: readReference(credentialRef),
    unknownMembers,
    openMembers: openMembers === undefined ? null : readNames(openMembers),
    windowCheck: contextWindow,
    traceparent,
    platform: readPlatformName(platform ?? known?.platform),
  };
}

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** The address with what is yours in place of the words that stand for it. */
function yourOwn(url: string, { region, resource, project, preset }: Options): string {
  const words = placeholdersOf(url);
  const given = { REGION: region, RESOURCE: resource, PROJECT: project };
  const extra = Object.entries(given).find(
    ([name, value]) => value !== undefined && !words.some((word) => word === name),
  );
  if (extra) throw new CommandError(`--${extra[0].toLowerCase()} is for a --preset whose address has one.`);
  for (const word of words) {
    const [option, value] = [`--${word.toLowerCase()}`, given[word]];
    if (value === undefined)
      throw new CommandError(
        preset === undefined
          ? `--url has ${word} where the name of yours belongs.`
          : `the preset ${preset} needs ${option}, which completes ${url}.`,
      );
    if (!LABEL.test(value)) throw new CommandError(`${option} is one label of a host name, such as eu-central-1.`);
  }
  return completeUrl(url, given);
}

function readNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (text === "") return [];
  if (!names.every((name) => MEMBER.test(name))) {
    throw new CommandError(
      "--open-members is a list of field names, such as top_k,reasoning*. An empty list forwards none.",
    );
  }
  return names;
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new CommandError("--url must be an http or https URL without credentials, query or fragment.");
  }
  return url.href.replace(/\/+$/, "");
}

function readPlatformName(text: string | undefined): string | null {
  if (text === undefined || new RegExp(`^(?:${PLATFORM})$`).test(text)) return text ?? null;
  throw new CommandError("--platform is vertex, bedrock or azure, or azure:API_VERSION, such as azure:2024-10-21.");
}

function readReference(text: string): string {
  const match = REFERENCE.exec(text);
  if (match === null) {
    throw new CommandError(
      "--credential names where to find the credential: env:NAME, file:/absolute/path, stored or none, or whose identity the gateway uses: aws, aws:ROLE_ARN, google or entra. It is never the credential itself; pass that with --credential-stdin.",
    );
  }
  if (match[1] !== undefined && isOwnVariable(match[1])) {
    throw new CommandError(`${text} is a variable of Tollgate itself and cannot hold a credential.`);
  }
  return text;
}

/** Whether a credential would cross a network for everybody on it to read. */
export function isSentInTheClear({
  baseUrl,
  credentialRef,
}: Pick<ProviderOrder, "baseUrl" | "credentialRef">): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && credentialRef !== "none" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
