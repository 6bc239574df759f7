import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { PATIENT_MS, seconds, type Step } from "../step.ts";

export const changing: readonly Step[] = [
  {
    name: "a role follows a change of groups, both ways, without another sign-in",
    run: async ({ stage, realm }) => {
      await realm.addUser("cleo", ["viewers"]);
      const { browser } = await stage.signIn("cleo");
      const isOwner = (): Promise<boolean> => stage.isOwner(browser);
      assert.equal(await isOwner(), false);
      await realm.join("cleo", "gateway-admins");
      const up = await seconds(() => until(isOwner, "she is an owner", PATIENT_MS));
      await realm.leave("cleo", "gateway-admins");
      const down = await seconds(() => until(async () => !(await isOwner()), "she is no owner", PATIENT_MS));
      assert.equal(await stage.isIn(browser), true);
      return `up after ${up}, down after ${down}`;
    },
  },
  {
    name: "the account moves with the team, and gets its limit",
    run: async ({ stage, realm }) => {
      await realm.addUser("dora", ["search"]);
      await stage.signIn("dora");
      const { id } = await stage.accountIn("Search", "dora");
      await realm.leave("dora", "search");
      await realm.join("dora", "ads");
      const moved = (): Promise<boolean> =>
        stage.accountIn("Ads", "dora").then(
          (account) => account.id === id && account.counters[0]?.amount === "20",
          () => false,
        );
      return `after ${await seconds(() => until(moved, "she is in the other team", PATIENT_MS))}`;
    },
  },
  {
    name: "keys that Keycloak signs with since a moment ago are believed",
    run: async ({ stage, realm }) => {
      await realm.addUser("kai", ["viewers"]);
      const { browser } = await stage.signIn("kai");
      await realm.addKeys();
      await realm.join("kai", "gateway-admins");
      await until(() => stage.isOwner(browser), "he is an owner", PATIENT_MS);
      assert.equal((await stage.signIn("kai")).page.status, 200);
      return "checks and sign-ins succeed";
    },
  },
  {
    name: "refresh tokens that are good for once (Revoke Refresh Token) are replaced with each check",
    run: async ({ stage, realm }) => {
      await realm.changeRealm({ revokeRefreshToken: true, refreshTokenMaxReuse: 0 });
      try {
        await realm.addUser("rita", ["viewers"]);
        const { browser } = await stage.signIn("rita");
        for (let turn = 0; turn < 3; turn++) {
          await realm.join("rita", "gateway-admins");
          await until(() => stage.isOwner(browser), "she is an owner", PATIENT_MS);
          await realm.leave("rita", "gateway-admins");
          await until(async () => !(await stage.isOwner(browser)), "she is no owner", PATIENT_MS);
        }
        assert.equal(await stage.isIn(browser), true);
      } finally {
        await realm.changeRealm({ revokeRefreshToken: false });
      }
      return "6 changes";
    },
  },
];
