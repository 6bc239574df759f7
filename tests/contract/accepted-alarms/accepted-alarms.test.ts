import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { until } from "../../support/until.ts";
import { ask, CHAT, modelFor } from "../operations.ts";
import { chargesOf, type IssuedKey, issueKey, operate } from "../operator.ts";

/** Both end without usage. */
const SILENT = "sim+tokens=20+usage=missing";

let gateway: GatewayProcess;
let key: IssuedKey;
beforeAll(async () => {
  gateway = await startGatewayProcess({ models: { known: modelFor(CHAT, SILENT), other: modelFor(CHAT, SILENT) } });
  key = await issueKey(gateway, { credit: "1" });
});
afterAll(() => gateway.stop());

const ACCEPTED = "/models/known/accepted-alarms";

const counted = async (name: string, kind = "usage_estimated"): Promise<number> => {
  const head = `tollgate_money_${name}_total{kind="${kind}"} `;
  const line = (await gateway.metrics()).split("\n").find((text) => text.startsWith(head));
  return Number(line?.slice(head.length));
};
const raised = (kind?: string): Promise<number> => counted("alarms", kind);
const accepted = (): Promise<number> => counted("alarms_accepted");

const use = async (model: string): Promise<void> => {
  const { status } = await ask(CHAT, { gateway, key: key.secret, fields: { model, stream: true } });
  expect(status).toBe(200);
};
/** Until a request of the model is counted there: the gateway has heard of the change, or the time has come. */
const untilCounted = async (count: () => Promise<number>): Promise<void> => {
  const before = await count();
  await until(async () => {
    await use("known");
    return (await count()) > before;
  }, "the gateway knows");
};

test("an alarm that is accepted for a model is not counted among those that alert, while other models raise it, and charges stay the same [MON-24]", async () => {
  await use("known");
  await use("other");
  expect([await raised(), await accepted()]).toEqual([2, 0]);

  const reason = "its server sends no usage";
  await operate(gateway, `POST ${ACCEPTED}`, { kind: "usage_estimated", reason });
  await untilCounted(accepted);
  const [alarms, quiet] = [await raised(), await accepted()];
  await use("known");
  await use("other");
  await use("known");
  const charges = await chargesOf(gateway, key);

  expect([await raised(), await accepted()]).toEqual([alarms + 1, quiet + 2]);
  expect(new Set(charges.map(({ amount }) => amount)).size).toBe(1);
  expect(Number(charges[0]?.amount)).toBeLessThan(0);

  const { accepted_alarms: shown } = await operate<{ accepted_alarms: object[] }>(gateway, "GET /models/known");
  expect(shown).toMatchObject([{ kind: "usage_estimated", reason, accepted_by: "admin", until: null }]);
  const { stdout } = await gateway.tollgate("models", "alarms", "known");
  expect(stdout).toMatch(/usage_estimated +accepted +admin .* its server sends no usage/);
});

test("once it is withdrawn the model alerts again, and both changes are in the audit log", async () => {
  await operate(gateway, `DELETE ${ACCEPTED}/usage_estimated`);
  await untilCounted(raised);
  const quiet = await accepted();
  await use("known");

  expect(await accepted()).toBe(quiet);
  await expect(operate(gateway, `DELETE ${ACCEPTED}/usage_estimated`)).rejects.toThrow(/are not accepted .*not_found/s);
  const { data } = await operate<{ data: { action: string; outcome: string }[] }>(gateway, "GET /audit?limit=10");
  expect(data.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual(
    expect.arrayContaining(["model.accept_alarm done", "model.withdraw_alarm done"]),
  );
});

test("one that ends alerts again by the clock alone", async () => {
  const acceptUntil = (end: string | null) =>
    operate(gateway, `POST ${ACCEPTED}`, { kind: "usage_estimated", reason: "for now", until: end });
  await acceptUntil(null);
  await untilCounted(accepted);
  const end = Date.now() + 1_000;
  await acceptUntil(new Date(end).toISOString());
  await untilCounted(raised);
  const quiet = await accepted();
  expect(Date.now()).toBeGreaterThanOrEqual(end);
  await use("known");

  expect(await accepted()).toBe(quiet);
});

test("what is no model's cannot be accepted, nor without a reason or for the past", async () => {
  const accept = (body: object) => operate(gateway, `POST ${ACCEPTED}`, body);
  const past = { kind: "overrun", reason: "x", until: "2020-01-01T00:00:00Z" };

  await expect(accept({ kind: "key_suspended", reason: "x" })).rejects.toThrow(/invalid_request/);
  await expect(accept({ kind: "overrun", reason: "" })).rejects.toThrow(/invalid_request/);
  await expect(accept({ kind: "overrun" })).rejects.toThrow(/invalid_request/);
  await expect(accept(past)).rejects.toThrow(/in the past.*conflict/s);
});
