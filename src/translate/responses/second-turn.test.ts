import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordings } from "../../../tests/support/recordings.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import type { Json } from "../../core/bytes/json.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readResponsesRequest } from "../../wire/responses/responses-request.ts";
import { pickTranslator } from "../pick-translator.ts";

const USER = { role: "user", content: "And then?" };

/** What a client has of an answer: the items of its last event, or of the whole body. */
function outputsIn(text: string): Json[] {
  const values = text.split("\n").map((line) => parsed(line.replace(/^data: ?/, "")));
  const whole = [parsed(text), ...values].flatMap((value) => {
    const response = isObject(value) && isObject(value["response"]) ? value["response"] : value;
    return isObject(response) && Array.isArray(response["output"]) ? [response["output"]] : [];
  });
  const done = values.flatMap((value) =>
    isObject(value) && value["type"] === "response.output_item.done" ? [value["item"]] : [],
  );
  const items: unknown[] = [...(whole.at(-1) ?? []), ...done];
  return items.filter((item) => isObject(item));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** A computer or a file in the provider's account. What makes and finds them is not sold here, and a stranger could name them as well. */
function namesAccount(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesAccount);
  if (!isObject(value)) return false;
  const named = [value["container_id"], value["file_id"]].some((id) => typeof id === "string");
  return named || value["type"] === "container_reference" || Object.values(value).some(namesAccount);
}

function sentFor(input: readonly unknown[], conformant: boolean): Json[] {
  const request = readResponsesRequest(parseBody(Buffer.from(JSON.stringify({ model: "m", input })), 64));
  const translator = pickTranslator("responses", { dialect: "responses", conformant });
  const sent = translator.request(request, { upstreamModel: "theirs", maxOutputTokens: null, thoughts: true });
  const body = JSON.parse(sent.toString()) as { input: Json[]; store: boolean; include: string[] };
  expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
  return body.input;
}

const isReadable = ({ encrypted_content: encrypted, content }: Json): boolean =>
  (typeof encrypted === "string" && encrypted !== "") || (Array.isArray(content) && content.length > 0);

const isThought = ({ type }: Json): boolean => type === "reasoning";

const ANSWERS = recordings("responses").flatMap(({ name, path }) => {
  const output = outputsIn(readFileSync(path, "utf8"));
  return output.length === 0 ? [] : [{ name, output }];
});
const taken = ANSWERS.filter(({ output }) => !namesAccount(output));
const refused = ANSWERS.filter(({ output }) => namesAccount(output));

test.runIf(ANSWERS.length > 0).each(taken)(
  "what $name answered is taken back in the next turn, without a name that its provider cannot know",
  ({ output }) => {
    for (const conformant of [true, false]) {
      const [before, ...sent] = sentFor([USER, ...output, USER], conformant);
      const after = sent.pop();

      expect([before, after]).toEqual([USER, USER]);
      expect(sent.filter((item) => isThought(item) && !isReadable(item))).toEqual([]);
      const kept = output.filter((item) => !isThought(item) || isReadable(item));
      expect(sent.map(({ type, call_id: call = null }) => [type, call])).toEqual(
        kept.map(({ type, call_id: call = null }) => [type, call]),
      );
      const bereft = kept.filter((item) => {
        const previous = output[output.indexOf(item) - 1];
        return item["type"] === "function_call" && previous && isThought(previous) && !isReadable(previous);
      });
      for (const item of bereft) expect(sent[kept.indexOf(item)]).not.toHaveProperty("id");
    }
  },
);

test.runIf(refused.length > 0).each(refused)(
  "what $name answered names a container or a file of the provider's account, and is refused for it [BOD-17] [BOD-19]",
  ({ output }) => {
    expect(() => sentFor([USER, ...output, USER], true)).toThrow(
      /^input\.\d+\.(environment|container_id|(results|content\.\d+\.annotations)\.\d+\.(file|container)_id)/,
    );
  },
);
