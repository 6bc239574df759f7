import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Dialect, onlyStraight } from "../../support/provider-dialect.ts";
import { type ScriptedGateway, startScriptedGateway, WAYS } from "../../support/scripted-gateway.ts";
import { beginning, ending, whole } from "../../support/scripted-provider.ts";
import { openStream, readAll } from "../open-stream.ts";
import { ask, CHAT } from "../operations.ts";
import { chargesOf, issueKey } from "../operator.ts";

type Json = Record<string, unknown>;
const WORDS = ["One ", "two ", "three ", "four."];

/** Figures as a provider may give them, in the words of its format. */
const FIGURES: [what: string, input: unknown, output: unknown][] = [
  ["right", 59, 12],
  ["negative", -59, 12],
  ["written as text", "59", "12"],
  ["fractional", 59.5, 12],
  ["above the window", 1_200_000, 12],
];
const named = (dialect: Dialect, input: unknown, output: unknown): Json =>
  dialect === "chat"
    ? { prompt_tokens: input, completion_tokens: output, total_tokens: input }
    : { input_tokens: input, output_tokens: output, ...(dialect === "responses" && { total_tokens: input }) };
const USAGES = (dialect: Dialect): [what: string, usage: unknown][] => [
  ...FIGURES.map(([what, input, output]): [string, unknown] => [what, named(dialect, input, output)]),
  ["null", null],
  ["missing", undefined],
];

/** What a caller was shown last, in the words of its format. */
function shownBy(dialect: Dialect, usages: readonly Json[]): { input: unknown; output: unknown } {
  const last = Object.assign({}, ...usages) as Json;
  if (dialect === "chat") return { input: last["prompt_tokens"], output: last["completion_tokens"] };
  return { input: last["input_tokens"], output: last["output_tokens"] };
}

const usagesIn = (text: string): Json[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .flatMap((line) => {
      const data = JSON.parse(line.slice(6)) as {
        usage?: Json;
        response?: { usage?: Json };
        message?: { usage?: Json };
      };
      return [data.usage, data.response?.usage, data.message?.usage].filter(
        (usage) => usage !== undefined && usage !== null,
      );
    });

let scripted: ScriptedGateway["scripted"];
let gateway: ScriptedGateway["gateway"];
let stop: ScriptedGateway["stop"];
beforeAll(async () => {
  ({ scripted, gateway, stop } = await startScriptedGateway());
});
afterAll(() => stop?.());

describe.each(WAYS)("$name", ({ operation, provider, name }) => {
  test("whatever usage a provider gives, its caller is shown what is charged, in whole numbers of at least 0 [MON-46] [CHA-27] [RES-15] [MSG-27]", async (context) => {
    onlyStraight(context, "the file says itself which formats meet");
    const asked = operation === CHAT ? { stream_options: { include_usage: true } } : {};
    for (const [what, usage] of USAGES(provider)) {
      scripted.say([...beginning(provider, WORDS, usage ?? undefined), ...ending(provider, WORDS, usage)]);
      const key = await issueKey(gateway, { credit: "1" });
      const fields = { model: name, [operation.limitField]: 100 };
      const { text } = await readAll(
        await openStream(operation, { gateway, key: key.secret, fields: { ...fields, ...asked } }),
      );
      const [streamed] = await chargesOf(gateway, key);
      scripted.answer(whole(provider, WORDS, usage));
      const plain = await ask(operation, { gateway, key: key.secret, fields });
      const [answered] = await chargesOf(gateway, key);

      const usages = [...usagesIn(text), (JSON.parse(plain.text) as { usage: Json }).usage];
      const numbers = usages.flatMap((shown) => Object.entries(shown).filter(([part]) => part.endsWith("_tokens")));
      expect({ what, odd: numbers.filter(([, count]) => !Number.isInteger(count) || Number(count) < 0) }).toEqual({
        what,
        odd: [],
      });
      expect({ what, ...shownBy(operation.dialect, usagesIn(text)) }).toEqual({
        what,
        input: streamed?.input_tokens,
        output: streamed?.output_tokens,
      });
      expect({ what, ...shownBy(operation.dialect, usages.slice(-1)) }).toEqual({
        what,
        input: answered?.input_tokens,
        output: answered?.output_tokens,
      });
    }
  });
});
