import { isObject } from "../../core/bytes/is-object.ts";
import { scrub } from "../../core/secret/scrub.ts";
import type { MaskSecrets } from "./mask-secrets.ts";

/** What a model wrote for our own questions. It is kept as it came, so that a recording can be replayed. */
const GENERATED: ReadonlySet<string> = new Set(
  (
    "content text delta arguments partial_json thinking reasoning reasoning_content summary refusal input args name input_text " +
    "functionCall title description"
  ).split(" "),
);
/** Ids, and what only its provider can read. */
const OPAQUE =
  /^(?:id|.*_id|.*Id|created|created_at|completed_at|createTime|system_fingerprint|signature|thoughtSignature|encrypted_content|data|obfuscation|organization|org|project|account|user|safety_identifier|prompt_cache_key|request_id)$/;
/** Words of the formats themselves. */
const FORMAL: ReadonlySet<string> = new Set(
  "type role object status finish_reason finishReason stop_reason model modelVersion service_tier effort verbosity format phase".split(
    " ",
  ),
);
const SHORT_WORD = /^[\w.:/-]{1,64}$/;

export type ScrubRecording = (value: unknown) => unknown;

type Parts = { mask: MaskSecrets; upstreamModel: string };

/**
 * Takes the account out of what a provider sent: ids become placeholders, the same one for the same id, and any other text passes
 * only as far as a client could be shown it.
 */
export function createScrubRecording({ mask, upstreamModel }: Parts): ScrubRecording {
  const placeholders = new Map<string, string>();

  function placeholder(given: string): string {
    const known = placeholders.get(given);
    if (known !== undefined) return known;
    const [kind = ""] = /^[a-z]{2,12}[-_]/.exec(given) ?? [];
    const made = `${kind}recorded${kind === "" || kind.endsWith("-") ? "-" : "_"}${placeholders.size + 1}`;
    placeholders.set(given, made);
    return made;
  }

  function textOf(name: string, text: string): string {
    if (text === "") return text;
    if (GENERATED.has(name)) return mask(text);
    if (OPAQUE.test(name)) return placeholder(text);
    if (FORMAL.has(name) && SHORT_WORD.test(text)) return mask(text);
    return mask(scrub(text, upstreamModel));
  }

  function scrubbed(name: string, value: unknown): unknown {
    if (typeof value === "string") return textOf(name, value);
    if (typeof value === "number") return OPAQUE.test(name) && value > 1_000_000_000 ? 1_700_000_000 : value;
    if (Array.isArray(value)) return value.map((item) => scrubbed(name, item));
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, member]) => [mask(key), scrubbed(key, member)]));
  }

  return (value) => scrubbed("", value);
}
