import assert from "node:assert/strict";
import { operate } from "../../contract/operator.ts";
import { until } from "../../support/until.ts";
import { PATIENT_MS, type Played, type Step } from "../step.ts";

/** What is promised of streams. */
const CUT_MS = 60_000;
const REFUSED = "the provider answered invalid_grant";

/** Somebody is in, and then no more. */
async function shutOut({ stage, realm }: Played, login: string, shut: () => Promise<void>): Promise<string> {
  await realm.addUser(login, ["search", "viewers"]);
  const { browser } = await stage.signIn(login);
  const { id } = await stage.accountIn("Search", login);
  const { ended, keyStatus } = await stage.openStream(id);
  assert.deepEqual([await stage.isIn(browser), await keyStatus()], [true, 200]);

  await shut();
  const startedMs = performance.now();
  const { text } = await ended;
  const cutMs = performance.now() - startedMs;

  assert.match(text, /while the request was in progress/);
  assert.ok(cutMs < CUT_MS, `the stream was cut after ${cutMs} ms`);
  assert.equal(await keyStatus(), 401);
  assert.equal(await stage.isIn(browser), false);
  assert.equal((await stage.accountIn("Search", login)).status, "suspended");
  return `stream cut after ${(cutMs / 1_000).toFixed(1)} s`;
}

const why = async ({ stage }: Played, login: string): Promise<string> => {
  const path = `GET /audit?action=person.leave&resource=${login}@acme.example`;
  const { data } = await operate<{ data: { asked: { reason: string } }[] }>(stage.gateway, path);
  return data[0]?.asked.reason ?? "no reason";
};

export const leaving: readonly Step[] = [
  {
    name: "a user who is disabled is out; enabled again, they sign in to the same account and key",
    run: async (played) => {
      const { stage, realm } = played;
      const cut = await shutOut(played, "finn", () => realm.changeUser("finn", { enabled: false }));
      assert.equal(await why(played, "finn"), REFUSED);
      const { id } = await stage.accountIn("Search", "finn");
      const { page } = await stage.signIn("finn");
      assert.equal(new URL(page.url).hostname, "localhost", "he stays on Keycloak's page");
      await realm.changeUser("finn", { enabled: true });
      const again = await stage.signIn("finn");
      assert.equal(await stage.isIn(again.browser), true);
      const account = await stage.accountIn("Search", "finn");
      assert.deepEqual([account.id, account.status], [id, "active"]);
      return cut;
    },
  },
  {
    name: "a user whose offline session is revoked is out",
    run: async (played) => {
      const cut = await shutOut(played, "gina", () => played.realm.revoke("gina"));
      assert.equal(await why(played, "gina"), REFUSED);
      return cut;
    },
  },
  {
    name: "a user who is deleted is out",
    run: async (played) => {
      const cut = await shutOut(played, "hans", () => played.realm.deleteUser("hans"));
      assert.equal(await why(played, "hans"), REFUSED);
      return cut;
    },
  },
  {
    name: "a user who leaves all mapped groups is out",
    run: async (played) => {
      const { realm } = played;
      const cut = await shutOut(played, "ida", async () => {
        await realm.leave("ida", "search");
        await realm.leave("ida", "viewers");
      });
      assert.equal(await why(played, "ida"), "in no group of sign_in.groups");
      return cut;
    },
  },
  {
    name: "a person who is removed here is out, and Keycloak does not bring them back",
    run: async (played) => {
      const { stage } = played;
      const cut = await shutOut(
        played,
        "jan",
        async () => void (await operate(stage.gateway, "DELETE /people/jan@acme.example")),
      );
      assert.equal((await stage.signIn("jan")).page.status, 403);
      return cut;
    },
  },
  {
    name: "Sign out at Keycloak ends no offline session: the person stays in",
    run: async ({ stage, realm }) => {
      await realm.addUser("lena", ["viewers"]);
      const { browser } = await stage.signIn("lena");
      await realm.signOut("lena");
      await realm.join("lena", "gateway-admins");
      await until(() => stage.isOwner(browser), "the checks go on", PATIENT_MS);
      return "checks succeed";
    },
  },
];
