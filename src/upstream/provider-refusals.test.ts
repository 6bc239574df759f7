import { payerNamed } from "../core/money/payer.ts";
import { afterEach, describe, expect, test } from "vitest";
import { answerOk, closeProviders, harness, provider, route } from "../../tests/support/dispatch-stage.ts";
import { REFUSAL_EXAMPLES, type RefusalExample, TOLD } from "../../tests/support/provider-refusals.ts";
import { Fault } from "../core/fault.ts";
import { renderFormatA } from "../wire/errors/format-a.ts";
import { renderFormatB } from "../wire/errors/format-b.ts";
import { requestFault } from "./refusal/provider-error.ts";
import { readRefusal } from "./refusal/read-refusal.ts";
import { REFUSAL_SIGNS } from "./refusal/refusal-signs.ts";

afterEach(closeProviders);

const SAID = REFUSAL_EXAMPLES.filter(({ status }) => status !== 200);
const SAID_AS_ANSWER = REFUSAL_EXAMPLES.filter(({ status }) => status === 200);
const FORMATS = { chat: renderFormatA, responses: renderFormatA, messages: renderFormatB };

const refusing = ({ status, headers, body }: RefusalExample) =>
  provider((_request, response) => response.writeHead(status, headers).end(body));

async function faultOf(asked: Promise<unknown>): Promise<Fault> {
  const fault = await asked.catch((error: unknown) => error);
  if (!(fault instanceof Fault)) throw new Error("nothing was refused");
  return fault;
}

describe("every refusal in the table of providers", () => {
  test.each(SAID)(
    "$family $status is about $about in every format of callers [UPS-3] [UPS-5] [UPS-6] [UPS-7] [LIM-7] [ERR-20] [ERR-21]",
    async (example) => {
      const refuser = await refusing(example);
      const { code, statusA, statusB } = TOLD[example.about];
      for (const [dialect, render] of Object.entries(FORMATS)) {
        const { dispatch, task } = harness();
        const fault = await faultOf(dispatch(task(route(refuser.url))));
        const { status, body } = render(fault, "req_1");

        expect(fault.code, dialect).toBe(code);
        expect(status, dialect).toBe(dialect === "messages" ? statusB : statusA);
        expect(JSON.parse(body)).toMatchObject({ error: { message: expect.any(String) as string } });
        expect(body).not.toMatch(/sk-\*|org_0|00000000-|arn:aws|https:/);
      }
    },
  );

  test.each(SAID)(
    "$family $status about $about: who is asked after it, and what it says of the route",
    async (example) => {
      const [refuser, free] = [await refusing(example), await provider(answerOk)];
      const { dispatch, task, health } = harness();
      const first = route(refuser.url);
      const { next, counts } = TOLD[example.about];
      await dispatch(task(first, route(free.url))).catch(() => null);
      expect(free.seen).toHaveLength(next === "others" ? 1 : 0);

      for (let call = 0; call < 8; call++)
        await dispatch({ ...task(first), payer: payerNamed("one") }).catch(() => null);

      const shut = counts === "always" && example.status !== 429;
      expect(health.standing(first).verdict === "open").toBe(shut);
      if (counts === "never") expect(health.report()[0]).toMatchObject({ failed: 0, successRate: 1, restsMs: 0 });
    },
  );

  test.each(SAID_AS_ANSWER)("$family: an answer of success that says no, about $about [UPS-6] [LIM-7]", (example) => {
    const { code } = TOLD[example.about];
    const asked = { provider: "east", model: "m" };

    for (const said of [example.body, `data: ${example.body}\n\n`, `event: error\ndata: ${example.body}\n\n`]) {
      expect(requestFault(Buffer.from(said), asked)?.code, said.slice(0, 6)).toBe(code);
    }
  });

  test.each(["key", "account", "busy", "late", "failed", "unknown"])(
    "an answer of success that says no for another reason (%s) does not blame the request",
    (about) => {
      for (const { body } of SAID.filter((example) => example.about === about && example.family !== "Anything else")) {
        expect(requestFault(Buffer.from(body), { provider: "east" })).toBeNull();
      }
    },
  );

  test("every family has examples, every example says where it is from, and every sign is in one of its family", () => {
    const families = new Set(REFUSAL_EXAMPLES.map(({ family }) => family));
    expect([...families]).toEqual(expect.arrayContaining(Object.keys(REFUSAL_SIGNS)));
    for (const { source, from } of REFUSAL_EXAMPLES) if (source !== "made") expect(from).toMatch(/^https:\/\//);

    for (const [family, signs] of Object.entries(REFUSAL_SIGNS)) {
      const read = REFUSAL_EXAMPLES.filter((example) => example.family === family).map(({ body, headers }) =>
        readRefusal(Buffer.from(body), headers),
      );
      for (const sign of signs) {
        const { name, words } = sign;
        const found = read.some(
          (refusal) => (name === undefined || refusal.names.has(name)) && (words?.test(refusal.message) ?? true),
        );
        expect(found, `${family}: ${name ?? ""} ${words?.source ?? ""}`).toBe(true);
      }
    }
  });
});

test("refusals that nobody can read speak against a route once for each payer, and several payers show that it is ours", async () => {
  const firewall = await provider((_request, response) => response.writeHead(403).end("<html>blocked</html>"));
  const { dispatch, task, health } = harness();
  const sole = route(firewall.url);
  const ask = (payer: string) => dispatch({ ...task(sole), payer: payerNamed(payer) }).catch((error: unknown) => error);
  for (let call = 0; call < 20; call++) expect(await ask("one")).toMatchObject({ code: "provider_unavailable" });
  expect(health.report()[0]).toMatchObject({ breaker: "closed", failed: 20 });
  expect(health.report()[0]?.successRate).toBeGreaterThan(0.9);
  expect(health.standing(sole)).toEqual({ verdict: "ready" });

  for (const payer of ["two", "three", "four", "five"]) await ask(payer);
  expect(health.report()[0]).toMatchObject({ breaker: "open" });
});
