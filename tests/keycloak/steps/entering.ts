import assert from "node:assert/strict";
import type { KeycloakStage } from "../stage.ts";
import { seconds, type Step } from "../step.ts";

export const entering: readonly Step[] = [
  {
    name: "a first sign-in makes the account in the team, with its limit",
    run: async ({ stage, realm }) => {
      await realm.addUser("ann", ["search", "viewers"]);
      let signed: Awaited<ReturnType<KeycloakStage["signIn"]>> | null = null;
      const took = await seconds(async () => (signed = await stage.signIn("ann")));
      assert.ok(signed);
      const { browser, page } = signed as Awaited<ReturnType<KeycloakStage["signIn"]>>;
      assert.deepEqual([page.status, page.url], [200, `${stage.gateway.adminUrl}/docs`]);
      const { status, counters } = await stage.accountIn("Search", "ann");
      assert.deepEqual([status, counters.map(({ amount }) => amount)], ["active", ["50"]]);
      assert.equal(await stage.statusOf(browser, "/accounts"), 200);
      return took;
    },
  },
  {
    name: "a user as Keycloak makes them has no verified address: 403, until it is verified there",
    run: async ({ stage, realm }) => {
      await realm.addUser("uma", ["viewers"], { emailVerified: undefined });
      const { page } = await stage.signIn("uma");
      assert.equal(page.status, 403);
      assert.match(page.body, /has not verified uma@acme\.example/);
      await realm.changeUser("uma", { emailVerified: true });
      assert.equal((await stage.signIn("uma")).page.status, 200);
      return "403, then 200";
    },
  },
  {
    name: "a user in no mapped group, and one in none at all, gets 403",
    run: async ({ stage, realm }) => {
      await realm.addUser("norbert", []);
      await realm.addUser("olga", ["unmapped"]);
      for (const login of ["norbert", "olga"]) assert.equal((await stage.signIn(login)).page.status, 403);
      return "403, 403";
    },
  },
  {
    name: "groups that only the userinfo endpoint tells are found",
    run: async ({ stage, realm }) => {
      await realm.addUser("ivo", ["viewers"]);
      await realm.changeMapper({ "id.token.claim": "false" });
      try {
        assert.equal((await stage.signIn("ivo")).page.status, 200);
      } finally {
        await realm.changeMapper({ "id.token.claim": "true" });
      }
      return "200";
    },
  },
];
