import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { badKeys, unknownKey } from "../bad-keys.ts";
import { bearer, expectRefusal, knock, type Reply } from "../knock.ts";
import { issueKey, operate } from "../operator.ts";

const UNAUTHORISED = { status: 401, code: "invalid_credentials", type: "authentication_error" };

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

const ask = (headers: string[], origin = ""): Promise<Reply> =>
  knock(`${gateway.publicUrl}${origin}/v1/usage`, { headers });

test("without a key, with one that was never issued, or with one in the wrong header there is no summary [AUT-3] [AUT-7] [AUT-12] [AUT-13] [USG-33]", async () => {
  for (const headers of [
    [],
    ["x-api-key", gateway.keys.credit],
    bearer(unknownKey()),
    ...badKeys(gateway.keys.credit).map(([, key]) => bearer(key)),
  ]) {
    expectRefusal(await ask(headers), UNAUTHORISED);
  }
});

test.each(["suspend", "disable", "revoke"])(
  "after %s a key cannot even read its summary, and is told so with 401 [KEY-10] [USG-32]",
  async (change) => {
    const { id, secret } = await issueKey(gateway);
    expect((await ask(bearer(secret))).status).toBe(200);
    await operate(gateway, `POST /keys/${id}/${change}`);

    expectRefusal(await ask(bearer(secret)), UNAUTHORISED);
  },
);

test("an expired key is refused with 401 too, since usage lists no 403 [KEY-10] [USG-32]", async () => {
  const { secret } = await issueKey(gateway, { expires_at: "2020-01-01T00:00:00Z" });

  expectRefusal(await ask(bearer(secret)), UNAUTHORISED);
});

test("at the other origin a key is told its own base URL [ORI-4] [ORI-5] [ORI-7]", async () => {
  const { credit, token_budget: tokens } = gateway.keys;

  expect(expectRefusal(await ask(bearer(credit), "/token"), UNAUTHORISED).message).toContain(`${gateway.publicUrl} `);
  expect(expectRefusal(await ask(bearer(tokens)), UNAUTHORISED).message).toContain(`${gateway.publicUrl}/token `);
});
