import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeKey } from "../../contract/operator.ts";
import { requestLog, requestsDuring } from "../../support/request-log.ts";
import { until } from "../../support/until.ts";
import { type Client, type Explained, type Manners, type Shown, TOOL, TOOL_INPUT } from "./client.ts";
import { holdMoney, modelOf, openStage, type Stage, WORDS, WORDS_BEFORE_FAILURE } from "./client-stage.ts";

/** With `missing`, the reason why the client is not on this machine; its tests are skipped and say so. */
export type ClientUnderTest = { title: string; client: Client; manners: Manners; missing?: string | null };

const MODES = ["credit", "token_budget"] as const;
const REQUEST_ID = /^req_[0-9a-f]{32}$/;
const STATUSES: Record<Shown, number> = {
  invalid_credentials: 401,
  insufficient_credit: 402,
  model_not_found: 404,
  limit_reached: 429,
  provider_unavailable: 502,
};
/** Retrying clients wait for as long as they are told, which can be five seconds. */
const PATIENT_MS = 60_000;

/** What we promise every client, held against each of a file's clients on one gateway. */
export function describeClients(...clients: readonly ClientUnderTest[]): void {
  const present = clients.filter(({ missing }) => !missing);
  let stage: Stage | undefined;
  let opening: Promise<Stage> | undefined;
  beforeAll(async () => {
    if (present.length > 0) opening = openStage(clients.map(({ client }) => client));
    stage = await opening;
  }, PATIENT_MS * 3);
  // One that came up too late for the tests is ended all the same.
  afterAll(async () => void (await (await opening)?.gateway.stop()), PATIENT_MS * 3);
  const opened = (): Stage => {
    if (!stage) throw new Error("no gateway was started");
    return stage;
  };

  for (const [index, { title, client, manners, missing }] of clients.entries()) {
    // Reporters pass a file over in silence when all of it is skipped.
    if (missing) process.stderr.write(`skipped: ${title} cannot be installed: ${missing}\n`);
    describe.skipIf(missing)(title, () => {
      const subject: Subject = { index, client, manners, stage: opened };
      describeAnswers(subject);
      describeRefusals(subject);
      describeRetries(subject);
    });
  }
}

type Subject = { index: number; client: Client; manners: Manners; stage: () => Stage };

function describeAnswers({ index, client, stage }: Subject): void {
  test.each(MODES)("gets a plain answer with a %s key in one request", async (mode) => {
    const { result, requests } = await requestsDuring(stage().gateway, () =>
      client.ask(stage().access(mode), modelOf(index, "words")),
    );

    expect(result).toBe(WORDS);
    expect(requests).toMatchObject([{ route: routeOf(client), status: 200, outcome: "completed", streamed: false }]);
  });

  test.each(MODES)("reads a stream with a %s key in one request", async (mode) => {
    const { result, requests } = await requestsDuring(stage().gateway, () =>
      client.stream(stage().access(mode), modelOf(index, "words")),
    );

    expect(result).toBe(WORDS);
    expect(requests).toMatchObject([{ route: routeOf(client), status: 200, outcome: "completed", streamed: true }]);
  });

  test("is given a tool call with its arguments", async () => {
    const call = await client.callTool(stage().access("credit"), modelOf(index, "tool"));

    expect(call).toEqual({ name: TOOL.name, input: TOOL_INPUT });
  });

  test("holds a conversation of three turns with a tool, and nothing of it is dropped", async () => {
    const { result, requests } = await requestsDuring(stage().gateway, () =>
      client.converse(stage().access("credit"), modelOf(index, "talk")),
    );

    expect(result).toEqual({ call: { name: TOOL.name, input: TOOL_INPUT }, said: [WORDS, WORDS] });
    expect(requests.map(({ status, dropped = "nothing" }) => `${status} ${dropped}`)).toEqual(
      Array(3).fill("200 nothing"),
    );
    if (client.dialect !== "responses") return;
    const body = (await stage().gateway.witness()).at(-1)?.body as { input: { type?: string }[] } | undefined;
    const thought = { encrypted_content: expect.any(String) as string };
    expect(body?.input.filter(({ type }) => type === "reasoning")).toMatchObject([thought, thought]);
  });

  const { listModels, countTokens } = client;
  if (listModels)
    test.each(MODES)("lists models with a %s key", async (mode) => {
      expect(await listModels(stage().access(mode))).toContain(modelOf(index, "words"));
    });

  if (countTokens)
    test.each(MODES)("counts tokens with a %s key", async (mode) => {
      expect(await countTokens(stage().access(mode), modelOf(index, "words"))).toBeGreaterThan(0);
    });
}

function describeRefusals({ index, client, manners, stage }: Subject): void {
  const words = modelOf(index, "words");
  const shown: Record<Shown, () => Promise<unknown>> = {
    invalid_credentials: () => client.ask(stage().access("credit", { apiKey: "tgc_wrong", retries: 2 }), words),
    insufficient_credit: () => {
      const { emptyKeys, access } = stage();
      return client.ask(access("credit", { apiKey: emptyKeys.credit, retries: 2 }), words);
    },
    model_not_found: () => client.ask(stage().access("credit", { retries: 2 }), "no-such-model"),
    limit_reached: () => {
      const { emptyKeys, access } = stage();
      // Once: some know statuses alone and ask again, at a pace of their own.
      return client.ask(access("token_budget", { apiKey: emptyKeys.token_budget, retries: 1 }), words);
    },
    provider_unavailable: () => client.ask(stage().access("credit"), modelOf(index, "down")),
  };

  test.each(Object.keys(shown) as Shown[])(
    "tells its user about %s: status, code and request id, after as many requests as are due",
    async (code) => {
      const { result, requests } = await requestsDuring(stage().gateway, () => refusalOf(client, shown[code]));

      expect(result).toMatchObject({ type: manners.errors[code], status: STATUSES[code], code });
      expect(result.requestId).toMatch(REQUEST_ID);
      expect(requests.map(({ code: logged }) => logged)).toEqual(Array(manners.attempts?.[code] ?? 1).fill(code));
      expect(requests.at(-1)?.request_id).toBe(result.requestId);
    },
    PATIENT_MS,
  );
}

function describeRetries({ index, client, manners, stage }: Subject): void {
  test(
    "asks again after a fault of the provider, and is answered",
    async () => {
      const { result, requests } = await requestsDuring(stage().gateway, () =>
        client.ask(stage().access("credit", { retries: 2 }), modelOf(index, "flaky")),
      );

      expect(result).toBe(WORDS);
      expect(requests.map(({ status }) => status)).toEqual([502, 200]);
    },
    PATIENT_MS,
  );

  test(
    "waits while another request holds the balance, asks again and is answered",
    async () => {
      const { gateway } = stage();
      const { secret: apiKey } = await makeKey(gateway, { credit: "0.006" });
      const release = await holdMoney(stage(), apiKey, modelOf(index, "paused"));
      const refused = (): boolean =>
        requestLog(gateway).some(
          ({ code, key_prefix: prefix = "none" }) =>
            code === "balance_temporarily_reserved" && apiKey.startsWith(prefix),
        );

      const { result, requests } = await requestsDuring(gateway, async () => {
        const answer = client.ask(stage().access("credit", { apiKey, retries: 2 }), modelOf(index, "words"));
        await Promise.all([answer, until(refused, "the first try is refused", PATIENT_MS).then(release)]);
        return answer;
      });

      expect(result).toBe(WORDS);
      const own = requests.filter(({ model }) => model !== modelOf(index, "paused"));
      expect(own.map(({ status, code = "" }) => `${status} ${code}`)).toEqual([
        "429 balance_temporarily_reserved",
        "200 ",
      ]);
    },
    PATIENT_MS,
  );

  const noticing = manners.overlooksFailedStream ? "takes what came for the whole answer" : "raises an error";
  test(`${noticing} when a stream fails in the middle, and does not ask again`, async () => {
    const { result, requests } = await requestsDuring(stage().gateway, (): Promise<string | Explained> => {
      const answer = client.stream(stage().access("credit", { retries: 2 }), modelOf(index, "broken"));
      return manners.overlooksFailedStream ? answer : refusalOf(client, () => answer);
    });

    if (typeof result === "string") expect(result).toBe(WORDS_BEFORE_FAILURE);
    else expect(result.message).not.toBe("");
    expect(requests).toMatchObject([{ status: 200, outcome: "upstream_failed" }]);
  });
}

const routeOf = ({ dialect }: Client): string => (dialect === "chat" ? "chat_completions" : dialect);

function refusalOf(client: Client, ask: () => Promise<unknown>): Promise<Explained> {
  return ask().then(
    (answer) => {
      throw new Error(`not refused, but answered ${JSON.stringify(answer)}`);
    },
    (error: unknown) => client.explain(error),
  );
}
