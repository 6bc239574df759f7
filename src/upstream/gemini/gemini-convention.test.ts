import { afterEach, expect, test } from "vitest";
import { answerOk, closeProviders, harness, provider, route } from "../../../tests/support/dispatch-stage.ts";
import { geminiConvention } from "./gemini-convention.ts";

afterEach(closeProviders);

const TYPES = "type.googleapis.com/google.rpc";
const refusing = (code: number, details: object[]) =>
  provider((_request, response) =>
    response
      .writeHead(code)
      .end(JSON.stringify({ error: { code, message: "No.", status: "INVALID_ARGUMENT", details } })),
  );

test("the model and whether the answer is streamed stand in the path, and the key in a header of its own [UPS-2]", async () => {
  const google = await provider(answerOk);
  const { dispatch, task } = harness();
  const gemini = route(google.url, { dialect: "gemini", upstreamModel: "gemini-3-pro" });
  await dispatch(task(gemini));
  await dispatch({ ...task(gemini), answerMode: "streamed" });

  expect(google.seen.map(({ url }) => url)).toEqual([
    "/v1/models/gemini-3-pro:generateContent",
    "/v1/models/gemini-3-pro:streamGenerateContent?alt=sse",
  ]);
  expect(google.seen[0]?.headers).toMatchObject({ "x-goog-api-key": "sk-east-secret" });
  expect(google.seen[0]?.headers.authorization).toBeUndefined();
});

test.each([
  ["models/gemini-3-pro", "/models/gemini-3-pro"],
  ["tunedModels/mine", "/tunedModels/mine"],
  ["../../v1/files", "/models/..%2F..%2Fv1%2Ffiles"],
  ["..", "/models/.."],
  ["m?key=other#", "/models/m%3Fkey%3Dother%23"],
  ["m:generateContent?alt=sse&x", "/models/m%3AgenerateContent%3Falt%3Dsse%26x"],
  ["m\r\nhost: evil", "/models/m%0D%0Ahost%3A%20evil"],
  ["models/models/m", "/models/models%2Fm"],
  ["half \ud800", "/models/half%20%EF%BF%BD"],
])("a model called %j is one segment of the path and nothing else [UPS-2]", (model, path) => {
  const written = geminiConvention.path("whole", model);

  expect(written).toBe(`${path}:generateContent`);
  expect(new URL(`https://host${written}`).pathname).toBe(written);
});

test("a key that Google does not know is ours to mend: the next route is asked, and the caller not blamed [UPS-4]", async () => {
  const details = [{ "@type": `${TYPES}.ErrorInfo`, reason: "API_KEY_INVALID" }];
  const [unknown, free] = [await refusing(400, details), await provider(answerOk)];
  const { dispatch, task, attempts } = harness();
  const gemini = route(unknown.url, { dialect: "gemini" });
  const dispatched = await dispatch(task(gemini, route(free.url, { provider: "west" })));

  expect(dispatched?.route.provider).toBe("west");
  expect(attempts[0]).toMatchObject({ status: 400, failure: "credential_refused" });
  await expect(dispatch(task(gemini))).rejects.toMatchObject({ code: "provider_unavailable" });
});

test("how long Google asks to be left alone is read from the details of its refusal", async () => {
  const google = await refusing(429, [{ "@type": `${TYPES}.RetryInfo`, retryDelay: "34.4s" }]);
  const free = await provider(answerOk);
  const { dispatch, task, skip } = harness();
  const pair = [route(google.url, { dialect: "gemini" }), route(free.url)];
  const ask = async () => (await dispatch(task(...pair)))?.ended({ outcome: "completed", outputTokens: 1 });
  await ask();
  skip(34_000);
  await ask();
  expect(google.seen).toHaveLength(1);
  skip(1_000);
  await ask();

  expect(google.seen).toHaveLength(2);
});

test.each(["", "<html>", "[]", `{"error":{"details":[{"retryDelay":"-1s"},{"retryDelay":7},null]}}`])(
  "a refusal that reads %j says nothing of itself but its status",
  (body) => {
    const head = { status: 400, headers: {} };

    expect(geminiConvention.refusal?.(head, Buffer.from(body))).toEqual(head);
  },
);
