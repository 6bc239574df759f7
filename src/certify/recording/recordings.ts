import type { ProviderDialect } from "../../core/request/dialect.ts";
import { scrub } from "../../core/secret/scrub.ts";
import type { ProviderExchange } from "../exchange.ts";
import type { Draft } from "./find-leaks.ts";
import type { MaskSecrets } from "./mask-secrets.ts";
import { dataIn, isStream, objectIn } from "../read-events.ts";
import { createScrubRecording } from "./scrub-recording.ts";
import type { Subject, Trial } from "../trial.ts";

export type Recorded = { subject: Subject; trial: Trial; exchanges: readonly ProviderExchange[] };

const FOLDERS: Readonly<Record<ProviderDialect, string>> = {
  chat: "chat-completions",
  responses: "responses",
  messages: "messages",
  gemini: "gemini",
  converse: "bedrock-converse",
};

/** What the provider sent, as files that can be replayed: a whole answer as JSON, of a stream the data of an event per line. */
export const recordingDrafts = (provider: string, recorded: readonly Recorded[], mask: MaskSecrets): Draft[] =>
  recorded.flatMap(({ subject, trial, exchanges }) =>
    exchanges
      .filter(({ status, text }) => status !== null && text !== "")
      .map((exchange, index) => draftOf({ provider, subject, trial, mask, number: index + 1 }, exchange)),
  );

type Naming = { provider: string; subject: Subject; trial: Trial; mask: MaskSecrets; number: number };

function draftOf({ provider, subject, trial, mask, number }: Naming, { text }: ProviderExchange): Draft {
  const scrubbed = createScrubRecording({ mask, upstreamModel: subject.upstreamModel });
  const clean = (data: string): string => {
    const value = objectIn(data);
    return value === null ? mask(scrub(data, subject.upstreamModel)) : JSON.stringify(scrubbed(value));
  };
  const name = [provider, subject.modelId, trial.id].map(slug).join("-") + (number === 1 ? "" : `.${number}`);
  const folder = FOLDERS[subject.dialect];
  if (!isStream(text)) return { path: `${folder}/${name}.json`, text: `${clean(text)}\n` };
  const lines = dataIn(text)
    .filter((data) => data !== "[DONE]")
    .map(clean);
  return { path: `${folder}/${name}.chunks.txt`, text: `${lines.join("\n")}\n` };
}

const slug = (text: string): string => text.replaceAll(/[^\w.]+/g, "-").replaceAll(/^-|-$/g, "");

const ACCOUNT_HEADER = /organization|project|workspace|account|tenant|request-id|cf-ray|set-cookie|trace|session/i;
const LEAST_CHARACTERS = 8;

/** What the headers of the answers say of the account and the calls; none of it may be in a file. */
export function accountIds(recorded: readonly Recorded[]): string[] {
  const headers = recorded.flatMap(({ exchanges }) =>
    exchanges.flatMap((exchange) => Object.entries(exchange.headers)),
  );
  const values = headers.flatMap(([name, value]) => (ACCOUNT_HEADER.test(name) ? [value ?? []].flat() : []));
  return [...new Set(values)].filter((value) => value.length >= LEAST_CHARACTERS);
}
