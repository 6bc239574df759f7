import { isObject } from "../../core/bytes/is-object.ts";
import { editMembers, type MemberEdits } from "../json/edit-members.ts";
import { findElements, findMembers, type Members, type MemberSpan } from "../json/members.ts";
import { cutMembers, type IsCut } from "../members/cut-members.ts";
import { cloudBetas } from "./cloud-betas.ts";
import { MESSAGES_MEMBERS } from "./members.ts";
import type { MessagesCloud } from "./messages-quirks.ts";

/** Whose model it is sent to, and the flags that its caller has set. */
export type CloudCall = { cloud: MessagesCloud; betas: string | undefined; upstreamModel: string };

/** Theirs, and never the caller's: a newer one is refused. */
const VERSIONS: Record<MessagesCloud, string> = { bedrock: "bedrock-2023-05-31", vertex: "vertex-2023-10-16" };

/** All that clouds know at the top of a body. Whatever else stands there is refused, even if it is the maker's own. */
const TAKEN: ReadonlySet<string> = new Set(
  `max_tokens messages system stop_sequences temperature top_p top_k tools tool_choice thinking metadata output_config
  output_format context_management`.split(/\s+/),
);
/** What the path does not say there. */
const SAID_IN_BODY: Record<MessagesCloud, ReadonlySet<string>> = { bedrock: new Set(), vertex: new Set(["stream"]) };

const COMPACTION = { edit: "compact_20260112", flag: "compact-2026-01-12" };
const CONTEXT_FLAGS = ["context-management-2025-06-27", COMPACTION.flag];
/** Members of tools that mean nothing without their flag, and are refused then; null: there is no flag for it in any cloud. */
const TOOL_FLAGS: Readonly<Record<string, string | null>> = {
  defer_loading: "tool-search-tool-2025-10-19",
  eager_input_streaming: "fine-grained-tool-streaming-2025-05-14",
  allowed_callers: null,
  input_examples: null,
  custom: null,
};
/** Models of before Claude 4.5, which cache for five minutes and refuse to be told for how long. */
const CACHES_MINUTES = /claude-(?:instant|v2|3)|claude-(?:opus|sonnet)-4(?:-1)?[-@]\d{8}/;

/**
 * A body of messages as a cloud takes it: without the model, which the path names, and without what only the maker's own servers
 * know. A flag and the members that belong to it go together. Nothing that stays is changed.
 */
export function cloudBody(bytes: Buffer, call: CloudCall): Buffer {
  const betas = [...cloudBetas(call.betas, call.cloud)];
  const kept = cutMembers(bytes, MESSAGES_MEMBERS, cutBy(call, betas));
  const members = findMembers(kept);
  const edits: MemberEdits = { anthropic_version: JSON.stringify(VERSIONS[call.cloud]), ...formatEdits(kept, members) };
  if (call.cloud === "bedrock") {
    const compactions = compactionsIn(kept, members);
    edits["context_management"] = compactions;
    if (compactions !== null && !betas.includes(COMPACTION.flag)) betas.push(COMPACTION.flag);
    if (betas.length > 0) edits["anthropic_beta"] = JSON.stringify(betas);
  }
  return editMembers(kept, members, edits);
}

/** Who counts tokens is asked for no answer, and one cloud names the model in the body there. */
export function cloudCountBody(bytes: Buffer, call: CloudCall): Buffer {
  const body = cloudBody(bytes, call);
  const asked = (edits: MemberEdits): Buffer => editMembers(body, findMembers(body), edits);
  if (call.cloud === "vertex") return asked({ model: JSON.stringify(call.upstreamModel) });
  const counted = asked({ max_tokens: "1" }).toString("base64");
  return Buffer.from(JSON.stringify({ input: { invokeModel: { body: counted } } }));
}

function cutBy({ cloud, upstreamModel }: CloudCall, betas: readonly string[]): IsCut {
  const isOld = CACHES_MINUTES.test(upstreamModel);
  const hasContext = cloud === "bedrock" || CONTEXT_FLAGS.some((flag) => betas.includes(flag));
  return (name, _member, { within }) => {
    switch (within) {
      case null:
        if (name === "context_management") return !hasContext;
        return !TAKEN.has(name) && !SAID_IN_BODY[cloud].has(name);
      case "tools": {
        if (!Object.hasOwn(TOOL_FLAGS, name)) return false;
        const flag = TOOL_FLAGS[name] ?? null;
        return flag === null || !betas.includes(flag);
      }
      case "cache_control":
        return name === "scope" || (name === "ttl" && isOld);
      case "output_config":
        return name === "task_budget";
      default:
        return false;
    }
  };
}

const valueOf = (bytes: Buffer, { list }: Members, name: string): MemberSpan | null =>
  list.find(
    (member) => member.name === name && bytes.toString("latin1", member.valueStart, member.valueEnd) !== "null",
  ) ?? null;

/** The form of an answer under the name that it has today; clouds do not know the older one. */
function formatEdits(bytes: Buffer, members: Members): MemberEdits {
  const [format, config] = [valueOf(bytes, members, "output_format"), valueOf(bytes, members, "output_config")];
  if (format === null) return { output_format: null };
  const asked = { format: bytes.toString("utf8", format.valueStart, format.valueEnd) };
  const given = config === null ? Buffer.from("{}") : bytes.subarray(config.valueStart, config.valueEnd);
  const said = findMembers(given);
  const isSaid = said.list.some(({ name }) => name === "format");
  return { output_format: null, output_config: (isSaid ? given : editMembers(given, said, asked)).toString("utf8") };
}

/** Of all that may become of a context, what Bedrock knows; null: nothing of it is asked for. */
function compactionsIn(bytes: Buffer, members: Members): string | null {
  const context = valueOf(bytes, members, "context_management");
  if (context === null) return null;
  const given = bytes.subarray(context.valueStart, context.valueEnd);
  const edits = findMembers(given).list.find(({ name }) => name === "edits");
  const elements = edits === undefined || given[edits.valueStart] !== LIST ? [] : findElements(given, edits);
  const kept = elements
    .map(([start, end]) => given.toString("utf8", start, end))
    .filter((text) => {
      const edit: unknown = JSON.parse(text);
      return isObject(edit) && edit["type"] === COMPACTION.edit;
    });
  return kept.length === 0 ? null : `{"edits":[${kept.join(",")}]}`;
}

const LIST = 0x5b;
