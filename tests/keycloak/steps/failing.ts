import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { PATIENT_MS, type Played, type Step } from "../step.ts";

/** Waits for checks that fail, after which everybody is in as before. */
async function nobodyLeaves(
  { stage, realm }: Played,
  login: string,
  { breaks, mends, line }: { breaks: () => unknown; mends: () => unknown; line: RegExp },
): Promise<string> {
  await realm.addUser(login, ["viewers"]);
  const { browser } = await stage.signIn(login);
  const left = stage.lines("person left").length;
  let said = "";
  try {
    await breaks();
    said = await stage.nextLine("identity check failed");
    assert.equal(await stage.isIn(browser), true);
  } finally {
    await mends();
  }
  assert.match(said, line);
  await realm.leave(login, "viewers");
  await realm.join(login, "gateway-admins");
  await until(() => stage.isOwner(browser), "the checks go on", PATIENT_MS);
  assert.equal(stage.lines("person left").length, left);
  return /"detail":"([^"]*)"/.exec(said)?.[1] ?? said;
}

export const failing: readonly Step[] = [
  {
    name: "a client secret that changed at Keycloak makes nobody leave",
    run: (played) =>
      nobodyLeaves(played, "mia", {
        breaks: () => played.realm.changeClient({ secret: "another-secret-of-the-gateway" }),
        mends: () => played.realm.changeClient({ secret: played.realm.clientSecret }),
        line: /unauthorized_client|rejects this client/,
      }),
  },
  {
    name: "a client that is disabled makes nobody leave",
    run: (played) =>
      nobodyLeaves(played, "nils", {
        breaks: () => played.realm.changeClient({ enabled: false }),
        mends: () => played.realm.changeClient({ enabled: true }),
        line: /invalid_client|unauthorized_client/,
      }),
  },
  {
    name: "a Keycloak that stands still makes nobody leave",
    run: async (played) => {
      const { freeze, thaw } = played.server;
      if (freeze === null || thaw === null) return null;
      return nobodyLeaves(played, "pia", { breaks: freeze, mends: thaw, line: /timed? ?out/i });
    },
  },
];
