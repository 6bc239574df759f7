import assert from "node:assert/strict";
import { openBrowser } from "../../support/oidc/browser.ts";
import { until } from "../../support/until.ts";
import type { Realm } from "../realm.ts";
import { type KeycloakStage, startStage } from "../stage.ts";
import { PATIENT_MS, seconds, type Step } from "../step.ts";

/** With a gateway of their own. */
export const apart: readonly Step[] = [
  {
    name: "with Full group path, groups have a slash; who was in by names without one leaves",
    run: async ({ realm }) => {
      const stage = await openStage(realm);
      try {
        await realm.addUser("sam", ["viewers"]);
        await realm.addUser("sal", ["slashed"]);
        const { browser } = await stage.signIn("sam");
        assert.equal((await stage.signIn("sal")).page.status, 403);
        await realm.changeMapper({ "full.path": "true" });
        assert.equal((await stage.signIn("sal")).page.status, 200);
        await until(async () => !(await stage.isIn(browser)), "the other one is out", PATIENT_MS);
      } finally {
        await realm.changeMapper({ "full.path": "false" });
        await stage.stop();
      }
      return "403 and 200 change places";
    },
  },
  {
    name: "without offline_access, people leave when Keycloak's SSO session ends",
    run: async ({ realm }) => {
      const stage = await openStage(realm, { TOLLGATE_SIGN_IN_SCOPES: "openid profile email" });
      try {
        await realm.addUser("tom", ["viewers"]);
        const { browser } = await stage.signIn("tom");
        await realm.signOut("tom");
        return `after ${await seconds(() => until(async () => !(await stage.isIn(browser)), "he is out", PATIENT_MS))}`;
      } finally {
        await stage.stop();
      }
    },
  },
  ...(
    [
      ["ahead of", 300_000, 200],
      ["ahead of", 360_000, 503],
      ["behind", -3_600_000, 200],
    ] as const
  ).map(([word, skewMs, status]): Step => ({
    name: `a clock ${Math.abs(skewMs) / 60_000} minutes ${word} Keycloak's: a sign-in gets ${status}`,
    run: async ({ realm }) => {
      const shift = `const now = Date.now; Date.now = () => now() + (${skewMs});`;
      const stage = await openStage(realm, {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}`,
      });
      try {
        const login = `clock${skewMs}`.replace("-", "minus");
        await realm.addUser(login, ["viewers"]);
        const { page } = await stage.signIn(login);
        assert.equal(page.status, status);
        const line = stage.lines("sign-in failed").at(-1) ?? "";
        return /"detail":"([^"]*)"/.exec(line)?.[1] ?? "200";
      } finally {
        await stage.stop();
      }
    },
  })),
  {
    name: "without the scope offline_access at the client, a sign-in fails and the log says why",
    run: async ({ stage, realm }) => {
      await realm.addUser("vera", ["viewers"]);
      await realm.offerScope("offline_access", "DELETE");
      try {
        const page = await openBrowser().visit(`${stage.gateway.adminUrl}/admin/v1/sign-in/oidc`);
        assert.equal(page.status, 503);
      } finally {
        await realm.offerScope("offline_access", "PUT");
      }
      const line = stage.lines("sign-in failed").at(-1) ?? "";
      assert.match(line, /invalid_scope/);
      return "503, invalid_scope";
    },
  },
  {
    name: "a user without the role offline_access can't sign in, and the log says why",
    run: async ({ stage, realm }) => {
      await realm.addUser("wim", ["viewers"]);
      await realm.takeRoles("wim");
      assert.equal((await stage.signIn("wim")).page.status, 503);
      const line = stage.lines("sign-in failed").at(-1) ?? "";
      assert.match(line, /invalid_scope/);
      return "503, invalid_scope";
    },
  },
  {
    name: "a realm that is disabled refuses everybody: all people leave, and are back with their next sign-in",
    run: async ({ realm }) => {
      const stage = await openStage(realm);
      try {
        await realm.addUser("xenia", ["viewers"]);
        const { browser } = await stage.signIn("xenia");
        await realm.changeRealm({ enabled: false });
        const out = (): Promise<boolean> => stage.isIn(browser).then((isIn) => !isIn);
        const took = await seconds(() => until(out, "she is out", PATIENT_MS));
        await realm.changeRealm({ enabled: true });
        assert.equal(await stage.isIn((await stage.signIn("xenia")).browser), true);
        return `after ${took}`;
      } finally {
        await realm.changeRealm({ enabled: true });
        await stage.stop();
      }
    },
  },
];

async function openStage(realm: Realm, settings: Record<string, string> = {}): Promise<KeycloakStage> {
  const stage = await startStage(realm, settings);
  await realm.allowRedirect(stage.redirectUri);
  return stage;
}
