import { describe, expect, test } from "vitest";
import type { ClientDialect } from "../../src/core/dialect.ts";
import { DIALECTS } from "../../src/simulator/dialects.ts";
import { planGeneration } from "../../src/simulator/generation.ts";
import { DEFAULT_SCRIPT, parseSettings } from "../../src/simulator/script.ts";
import { ALLOWANCES } from "../sdk/allowances.ts";
import { sdkSchemas } from "../sdk/sdk-schemas.ts";
import { createWireValidator } from "../sdk/wire-validator.ts";

const { schemas, missing } = await sdkSchemas();
if (schemas === null) process.stderr.write(`skipped: the SDKs' types cannot be made into schemas: ${missing}\n`);

const SCRIPTS = [
  "tokens=3",
  "tokens=3+thinking=2",
  "tokens=3+thinking=2+thoughts=detailed",
  "tokens=3+thinking=2+thoughts=hidden",
  "tokens=3+words=2+tools=weather,time",
  "tokens=3+tools=weather,time+interleaved",
  "tokens=3+refusal",
  "tokens=100",
  "tokens=3+cached=2",
];
const BODY = {
  model: "sim",
  max_tokens: 50,
  max_output_tokens: 50,
  messages: [{ role: "user", content: "Hello" }],
  input: "Hello",
  stream_options: { include_usage: true },
  reasoning: { effort: "high", summary: "auto" },
  include: ["reasoning.encrypted_content"],
};
/** Members that the types have and recorded providers leave out, or send as null. */
const LEFT_OUT = [
  /^messages\w+ .*required property '(caller|citations|container|stop_details|diagnostics)'$/,
  /^messages\w+ .*usage must have required property '(inference_geo|output_tokens_details|server_tool_use|speed)'$/,
  /^responses\w+ .*(required property 'access_programs'|user must be string)$/,
];
const CASES = (Object.keys(DIALECTS) as ClientDialect[]).flatMap((name) => SCRIPTS.map((script) => ({ name, script })));

describe.skipIf(schemas === null)("what the simulated provider says is of the official clients' types", () => {
  const validate = createWireValidator(schemas ?? []);
  const faultsOf = (name: Parameters<typeof validate>[0], value: unknown): string[] =>
    validate(name, value)
      .map((words) => `${name} ${words}`)
      .filter(
        (words) => ![...ALLOWANCES.map((allowance) => allowance.words), ...LEFT_OUT].some((known) => known.test(words)),
      );

  test.each(CASES)("$name: $script", ({ name, script }) => {
    const dialect = DIALECTS[name];
    const settings = { ...DEFAULT_SCRIPT, ...parseSettings(script) };
    const generation = planGeneration({ ask: dialect.read(BODY), script: settings, id: "1", nowMs: 0 });
    const encoder = dialect.encode(generation);
    const events = [
      ...encoder.opening(),
      ...encoder.stretches.flatMap(({ before, tokens, token, after }) => [
        ...before(),
        ...Array.from({ length: tokens }, (_, index) => token(index)),
        ...after(),
      ]),
      ...encoder.closing(),
    ].flatMap((event) => /^data: (\{.*)$/m.exec(event)?.slice(1) ?? []);

    const said = events.map((data) => JSON.parse(data) as { type?: string }).filter(({ type }) => type !== "ping");
    expect(said.length).toBeGreaterThan(2);
    expect(new Set(said.flatMap((event) => faultsOf(`${name}Event`, event)))).toEqual(new Set());
    expect(faultsOf(`${name}Answer`, JSON.parse(dialect.answer(generation)))).toEqual([]);
  });
});
