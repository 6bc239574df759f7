import type { ClientDialect } from "../core/dialect.ts";
import { Fault } from "../core/fault.ts";
import { isObject } from "../core/is-object.ts";

/** Why a field is not passed on; the caller reads it. */
const REASONS = {
  stored: "refers to something kept in a provider's account, which strangers share here. Send the content itself",
  remote: "makes the provider act elsewhere on the caller's behalf, from an account that strangers share. Leave it out",
  priced: "changes what the provider charges, and no price is published for it here. Leave it out",
} as const;

/**
 * One row per field. `*` stands for every element of an array. A field that is absent or null is never refused; with
 * `unless` or `when`, only values it does not allow or does name are.
 */
type Row = { path: string; because: keyof typeof REASONS; unless?: Test; when?: Test };
type Test = (value: unknown) => boolean;

const oneOf =
  (...values: readonly unknown[]): Test =>
  (value) =>
    values.includes(value);
const matching =
  (pattern: RegExp): Test =>
  (value) =>
    typeof value === "string" && pattern.test(value);

/** Tools the caller runs itself. Any other kind is run by the provider, at a price and with powers we do not know. */
const CHAT_TOOLS = oneOf("function", "custom");
const RESPONSES_TOOLS = matching(
  /^(function|custom|local_shell|shell|apply_patch|computer|computer_use_preview|tool_search)$/,
);
const RESPONSES_TOOLS_AND_NAMESPACES: Test = (value) => value === "namespace" || RESPONSES_TOOLS(value);
const MESSAGES_TOOLS = matching(/^(custom|function|(bash|text_editor|computer|memory|tool_search_tool)_\w+)$/);

/** What the formats of two providers name beside ours, wherever their own clients put it in a body or in a part of its content. */
const nativeRows = (part: string): Row[] =>
  [
    "cachedContent",
    "cached_content",
    "extra_body.google.cached_content",
    `${part}.fileData.fileUri`,
    `${part}.file_data.file_uri`,
    `${part}.source.s3Location`,
    `${part}.image.source.s3Location`,
    `${part}.document.source.s3Location`,
    `${part}.video.source.s3Location`,
  ].map((path) => ({ path, because: "stored" }));

/** What is refused, per format. [decision 13] */
const ROWS: Record<ClientDialect, readonly Row[]> = {
  chat: [
    { path: "messages.*.audio.id", because: "stored" },
    { path: "messages.*.content.*.file.file_id", because: "stored" },
    { path: "messages.*.content.*.type", when: oneOf("input_audio"), because: "priced" },
    { path: "modalities.*", when: oneOf("audio"), because: "priced" },
    { path: "service_tier", unless: oneOf("auto", "default"), because: "priced" },
    { path: "speed", unless: oneOf("standard"), because: "priced" },
    { path: "inference_geo", because: "priced" },
    { path: "web_search_options", because: "priced" },
    { path: "search_parameters", because: "priced" },
    { path: "enable_search", unless: oneOf(false), because: "priced" },
    { path: "plugins", because: "priced" },
    // Routers take these as permission to answer from another model than the one that was paid for.
    { path: "models", because: "priced" },
    { path: "provider", because: "priced" },
    { path: "tools.*.type", unless: CHAT_TOOLS, because: "priced" },
    { path: "mcp_servers", because: "remote" },
    ...nativeRows("messages.*.content.*"),
  ],
  responses: [
    { path: "previous_response_id", because: "stored" },
    { path: "conversation", because: "stored" },
    { path: "background", unless: oneOf(false), because: "stored" },
    { path: "prompt.id", because: "stored" },
    { path: "input.*.type", when: oneOf("item_reference"), because: "stored" },
    { path: "input.*.content.*.file_id", because: "stored" },
    { path: "input.*.output.*.file_id", because: "stored" },
    { path: "input.*.output.file_id", because: "stored" },
    { path: "input.*.content.*.type", when: oneOf("input_audio"), because: "priced" },
    // Tools are named in the request and in items of the conversation, each alone or in a namespace, and nowhere deeper.
    ...toolRows("tools.*", RESPONSES_TOOLS_AND_NAMESPACES),
    ...toolRows("tools.*.tools.*", RESPONSES_TOOLS),
    ...toolRows("input.*.tools.*", RESPONSES_TOOLS_AND_NAMESPACES),
    ...toolRows("input.*.tools.*.tools.*", RESPONSES_TOOLS),
    { path: "service_tier", unless: oneOf("auto", "default"), because: "priced" },
    { path: "speed", unless: oneOf("standard"), because: "priced" },
    { path: "inference_geo", because: "priced" },
    { path: "modalities.*", when: oneOf("audio"), because: "priced" },
    { path: "web_search_options", because: "priced" },
    { path: "search_parameters", because: "priced" },
    { path: "plugins", because: "priced" },
    { path: "models", because: "priced" },
    { path: "provider", because: "priced" },
    ...nativeRows("input.*.content.*"),
  ],
  messages: [
    { path: "container", because: "stored" },
    { path: "thread", because: "stored" },
    { path: "user_profile_id", because: "stored" },
    { path: "workspace_id", because: "stored" },
    { path: "fallback_credit_token", because: "stored" },
    { path: "messages.*.content.*.file_id", because: "stored" },
    { path: "messages.*.content.*.source.file_id", because: "stored" },
    { path: "messages.*.content.*.content.*.file_id", because: "stored" },
    { path: "messages.*.content.*.content.*.source.file_id", because: "stored" },
    { path: "messages.*.content.*.source.content.*.source.file_id", because: "stored" },
    { path: "mcp_servers", because: "remote" },
    { path: "tools.*.mcp_server_name", because: "remote" },
    { path: "tools.*.type", unless: MESSAGES_TOOLS, because: "priced" },
    { path: "service_tier", unless: oneOf("auto", "standard_only"), because: "priced" },
    { path: "speed", unless: oneOf("standard"), because: "priced" },
    { path: "inference_geo", because: "priced" },
    { path: "fallbacks", because: "priced" },
    ...nativeRows("messages.*.content.*"),
  ],
};

function toolRows(place: string, tools: Test): Row[] {
  return [
    { path: `${place}.vector_store_ids`, because: "stored" },
    { path: `${place}.container`, because: "stored" },
    { path: `${place}.environment.type`, unless: oneOf("local"), because: "stored" },
    { path: `${place}.server_url`, because: "remote" },
    { path: `${place}.connector_id`, because: "remote" },
    { path: `${place}.type`, unless: tools, because: "priced" },
  ];
}

/** Rows that begin with the same steps, together: a body is walked once, whatever the number of rows. */
type Branch = { rows: Row[]; members: Map<string, Branch>; elements: Branch | null };

const emptyBranch = (): Branch => ({ rows: [], members: new Map(), elements: null });

function treeOf(rows: readonly Row[]): Branch {
  const root = emptyBranch();
  for (const row of rows) {
    let branch = root;
    for (const step of row.path.split(".")) branch = below(branch, step);
    branch.rows.push(row);
  }
  return root;
}

function below(branch: Branch, step: string): Branch {
  if (step === "*") return (branch.elements ??= emptyBranch());
  const next = branch.members.get(step) ?? emptyBranch();
  branch.members.set(step, next);
  return next;
}

const TREES: Record<ClientDialect, Branch> = {
  chat: treeOf(ROWS.chat),
  responses: treeOf(ROWS.responses),
  messages: treeOf(ROWS.messages),
};

/** Refuses a body that asks a provider for what strangers on one account must not share or for what has no price. */
export function refuseFields(dialect: ClientDialect, body: Record<string, unknown>): void {
  const found = find(TREES[dialect], body);
  if (found === null) return;
  const param = found.path.join(".");
  throw new Fault("invalid_request", `${param}: ${subjectOf(found)} ${REASONS[found.row.because]}.`, { param });
}

type Found = { path: string[]; value: unknown; row: Row };

/** Callers who did not write the body themselves, as an agent's users, know a tool by its name and not by its place. */
function subjectOf({ value, row: { unless, when } }: Found): string {
  const named = (unless ?? when) && typeof value === "string" && /^[\w.-]{1,64}$/.test(value);
  return named ? `'${value}'` : "This field";
}

/** The first refused value and the way to it, or null. Bodies are large, so nothing is made while nothing is found. */
function find(branch: Branch, value: unknown): Found | null {
  if (value === undefined || value === null) return null;
  for (const row of branch.rows) if (isRefused(value, row)) return { path: [], value, row };
  if (Array.isArray(value)) return branch.elements && findInArray(branch.elements, value);
  if (branch.members.size === 0 || !isObject(value)) return null;
  for (const [name, next] of branch.members) {
    const found = Object.hasOwn(value, name) ? find(next, value[name]) : null;
    if (found !== null) return after(name, found);
  }
  return null;
}

function findInArray(branch: Branch, values: readonly unknown[]): Found | null {
  for (let index = 0; index < values.length; index++) {
    const found = find(branch, values[index]);
    if (found !== null) return after(String(index), found);
  }
  return null;
}

const after = (step: string, found: Found): Found => ({ ...found, path: [step, ...found.path] });

function isRefused(value: unknown, { unless, when }: Row): boolean {
  return unless ? !unless(value) : (when?.(value) ?? true);
}
