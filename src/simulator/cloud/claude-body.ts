import type { JsonObject, Named } from "../dialect.ts";
import { invalid, Refusal } from "../ask/refusal.ts";

/** What a cloud takes in a body of messages, as strictly as it is known to be. */
export type ClaudeRules = {
  /** All names that it knows at the top. */
  members: readonly string[];
  /** The versions that it takes; the makers' newest clients send theirs everywhere. */
  versions: readonly string[];
  betas: readonly string[];
};

export const MEMBERS =
  `anthropic_version max_tokens messages system stop_sequences temperature top_p top_k tools tool_choice thinking
  metadata output_config`.split(/\s+/);

const TOOL_MEMBERS = ["custom", "allowed_callers", "input_examples"];

/** Refuses what the cloud refuses, and gives back what the makers' own servers would have been sent. */
export function readClaudeBody(body: JsonObject, rules: ClaudeRules, { model, streamed }: Named): JsonObject {
  const { anthropic_version: version, anthropic_beta: betas, ...rest } = body;
  if (!rules.versions.includes(String(version)))
    throw new Refusal(404, `anthropic_version: ${String(version)} is not supported`);
  const unknown = Object.keys(body).find((name) => !rules.members.includes(name));
  if (unknown !== undefined) throw invalid(`${unknown}: Extra inputs are not permitted`, unknown);
  checkBetas(betas ?? [], rules);
  checkTools(body["tools"]);
  if (JSON.stringify(body).includes('"scope":')) throw invalid("cache_control.scope: Extra inputs are not permitted");
  return { ...rest, model, stream: streamed };
}

export function checkBetas(betas: unknown, { betas: known }: Pick<ClaudeRules, "betas">): void {
  if (!Array.isArray(betas) || betas.some((beta) => !known.includes(String(beta)))) throw invalid("invalid beta flag");
}

function checkTools(tools: unknown): void {
  const listed = Array.isArray(tools) ? (tools as JsonObject[]) : [];
  for (const [place, tool] of listed.entries()) {
    const name = TOOL_MEMBERS.find((member) => member in tool);
    if (name !== undefined) throw invalid(`tools.${place}.${name}: Extra inputs are not permitted`);
  }
}
