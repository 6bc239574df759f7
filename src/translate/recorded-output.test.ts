import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "../../tests/support/cases.ts";
import { recordings } from "../../tests/support/recordings.ts";
import { converseEvent } from "../../tests/support/converse-event.ts";
import type { ProviderDialect } from "../core/request/dialect.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { Json } from "../core/bytes/json.ts";
import { loadCountTokens } from "../tokens/count-tokens.ts";
import { CHAT_OUTPUT, readChatGenerated } from "./chat/generated.ts";
import { type OutputMembers, WHY } from "./collect-generated.ts";
import { CONVERSE_OUTPUT, readConverseGenerated } from "./converse/generated.ts";
import { GEMINI_OUTPUT, readGeminiGenerated } from "./gemini/generated.ts";
import { MESSAGES_OUTPUT, readMessagesGenerated } from "./messages/generated.ts";
import { OutputMeter, type ReadGenerated } from "./output-meter.ts";
import { readResponsesGenerated, RESPONSES_OUTPUT } from "./responses/generated.ts";

type Known = { read: ReadGenerated; tables: readonly OutputMembers[] };
const FORMATS: Record<ProviderDialect, Known> = {
  chat: { read: readChatGenerated, tables: CHAT_OUTPUT },
  messages: { read: readMessagesGenerated, tables: MESSAGES_OUTPUT },
  responses: { read: readResponsesGenerated, tables: RESPONSES_OUTPUT },
  gemini: { read: readGeminiGenerated, tables: GEMINI_OUTPUT },
  converse: { read: readConverseGenerated, tables: CONVERSE_OUTPUT },
};
const FILES = (Object.keys(FORMATS) as (keyof typeof FORMATS)[]).flatMap((format) =>
  recordings(format)
    .map(({ name, lines }) => ({ format, name, events: lines.flatMap((line) => eventIn(line, format)) }))
    .filter(({ events }) => events.length > 0),
);
const PLACES = cases({ gate: 5, long: 40 });
/** Much longer than an item: its whole form may say again what stands beside it, and the larger of both counts. */
const NEW = "new text ".repeat(2_500);

function eventIn(line: string, format: ProviderDialect): Json[] {
  try {
    const given: unknown = JSON.parse(line);
    const event = format === "converse" ? converseEvent(given).data : given;
    return isObject(event) ? [event] : [];
  } catch {
    return [];
  }
}

function feed(meter: OutputMeter, event: Json): void {
  const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  if (!meter.again(bytes, 0, bytes.length)) meter.note(bytes);
}

function countedIn(read: ReadGenerated, events: readonly Json[]): number {
  const meter = new OutputMeter(read);
  for (const event of events) feed(meter, event);
  return meter.delivered.length;
}

/** Names that are free wherever the format has them. */
function freeNames(tables: readonly OutputMembers[]): Set<string> {
  const all = tables.flatMap((table) => Object.entries(table));
  const counted = new Set(all.flatMap(([name, { free }]) => (free === undefined || free === WHY.apart ? [name] : [])));
  return new Set(all.map(([name]) => name).filter((name) => !counted.has(name)));
}

/** The objects of an event to which a provider could add a member that no table has. */
function openPlaces(value: unknown, free: ReadonlySet<string>): Json[] {
  if (Array.isArray(value)) return value.flatMap((item) => openPlaces(item, free));
  if (!isObject(value) || isResult(value)) return [];
  const inner = Object.entries(value).flatMap(([name, one]) => {
    if (free.has(name)) return [];
    // All but the output says again what was asked for.
    return name === "response" && isObject(one) ? [one, ...openPlaces(one["output"], free)] : openPlaces(one, free);
  });
  return [value, ...inner];
}

const isResult = ({ type }: Json): boolean => typeof type === "string" && /_tool_result$|_call_output/.test(type);

describe.skipIf(FILES.length === 0)("recorded streams", () => {
  test.each(FILES)("$format $name: a text in a new member counts, wherever it is added", ({ format, events }) => {
    const { read, tables } = FORMATS[format];
    const free = freeNames(tables);
    const before = countedIn(read, events);
    fc.assert(
      fc.property(fc.nat(events.length - 1), fc.nat(), (at, choice) => {
        const changed = structuredClone(events);
        const places = openPlaces(changed[at], free);
        const place = places[choice % Math.max(1, places.length)];
        if (place === undefined) return;
        place["something_new"] = NEW;

        expect(countedIn(read, changed) - before).toBeGreaterThan(NEW.length * 0.9);
      }),
      { numRuns: PLACES },
    );
  });
});

/** The reported output does not hold what was said. */
const NOT_COMPARABLE: Readonly<Record<string, string>> = {
  "cererebras-structured-output-tools.1.chunks.txt": "shows thoughts as text and reports fewer tokens than it shows",
  "openai-mcp-tool-approval.4.chunks.txt": "repeats a call that an earlier response wrote",
  "xai-text.chunks.txt": "reports reasoning beside the output",
};
/** A tool's name or a few letters that another vocabulary cuts otherwise. */
const FEW = 12;
const MOST = 1.15;

const reportedBy = (event: Json): { output: number; hidden: number } => {
  const inner = isObject(event["response"]) ? event["response"] : event;
  const usage = [
    inner["usage"],
    inner["usageMetadata"],
    isObject(event["x_groq"]) ? event["x_groq"]["usage"] : null,
  ].find(isObject);
  const read = (...names: string[]): number =>
    names.reduce((sum, name) => sum + (typeof usage?.[name] === "number" ? usage[name] : 0), 0);
  const details = [usage?.["completion_tokens_details"], usage?.["output_tokens_details"]].find(isObject);
  const reasoning = details?.["reasoning_tokens"];
  return {
    output: read("completion_tokens", "output_tokens", "candidatesTokenCount", "thoughtsTokenCount"),
    hidden: (typeof reasoning === "number" ? reasoning : 0) + read("thoughtsTokenCount"),
  };
};

const isEnd = ({ type }: Json): boolean =>
  type === "message_stop" || type === "response.completed" || type === "response.incomplete";

describe.skipIf(FILES.length === 0)("recorded streams that are cut", async () => {
  const countTokens = await loadCountTokens();

  const compared = FILES.filter(({ name, events }) => {
    const reports = events.map(reportedBy);
    const whole = events.filter(isEnd).length <= 1;
    return (
      whole &&
      !(name in NOT_COMPARABLE) &&
      reports.some(({ output }) => output > 0) &&
      !reports.some(({ hidden }) => hidden > 0)
    );
  });

  test("there are enough of them to compare", () => {
    expect(compared.length).toBeGreaterThan(40);
  });

  test.each(compared)("$format $name: after each event, no more is counted than was produced", ({ format, events }) => {
    const { read } = FORMATS[format];
    const all = countedIn(read, events);
    const reported = Math.max(...events.map((event) => reportedBy(event).output));
    const meter = new OutputMeter(read);
    for (const event of events) {
      const before = meter.delivered.length;
      feed(meter, event);
      if (meter.delivered.length === before) continue;
      const produced = (reported * meter.delivered.length) / all;

      expect(countTokens(meter.delivered.text())).toBeLessThanOrEqual(MOST * produced + FEW);
    }
  });
});
