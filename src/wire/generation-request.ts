import type { Payer } from "../core/money/payer.ts";
import type { ClientDialect } from "../core/request/dialect.ts";
import type { MemberEdits } from "./json/edit-members.ts";
import type { Members } from "./json/members.ts";
import type { Stamp } from "./stamp.ts";
import type { InputEstimate } from "../core/request/input-estimate.ts";
import type { AskedTool } from "../core/request/provider-tools.ts";
import type { CacheMark, UnknownMember } from "./members/inspect-members.ts";
import type { UnknownMembers } from "./members/unknown-members.ts";

/** What every generation asks for, whatever its format, with the bytes it came in. */
export type GenerationRequest = {
  dialect: ClientDialect;
  /** Who answers for it. */
  payer: Payer;
  model: string;
  stream: boolean;
  /** The caller's own output limit; null when it set none. */
  maxOutputTokens: number | null;
  /** What the caller called that limit, so that a refusal names the field it sent. */
  maxOutputTokensField: string;
  /** How many answers are asked for at once. */
  choices: number;
  /** What it asks to be served as, in the words of prices. */
  tier: string;
  /** What the caller asked by. */
  tierField: string;
  /** The caller asked to be sent the usage as an event of its stream. */
  wantsUsageEvent: boolean;
  /** Tools that the provider is to run while it answers. Absent: none. */
  providerTools?: readonly AskedTool[];
  /** Headers of the caller's that a provider of the same format is sent too. */
  forwardedHeaders: Readonly<Record<string, string>>;
  /** Without what is as good as absent; else as they came. */
  bytes: Buffer;
  /** What answers may repeat of the body, as JSON. Absent: the body is small enough to be read for it. */
  echo?: string;
  /** What its input comes to, where that was estimated when it was read. */
  input?: InputEstimate;
  members: Members;
  /** What the format does not know; whether a provider is told of it is for its row to say. */
  unknown: UnknownMembers;
  /** What asks a provider to cache; whether it is told of it depends on what the model's price has. */
  cacheMarks: readonly CacheMark[];
  /** What was taken out of the bytes though it says something, since no provider is to read it or could make sense of it. Absent: nothing. */
  leftOut?: readonly UnknownMember[];
  /** What no provider is told as the caller wrote it, whichever provider it is. */
  edits: Readonly<MemberEdits>;
  /** Knows what was sealed for this caller. Absent: nothing of the kind is given out, and nothing is taken back. */
  stamp?: Stamp;
};
