import type { LoadedConfig } from "../../config/load-config.ts";
import { Conflict } from "../../core/conflict.ts";
import type { PasswordSignIn } from "../../entrance/password/password-sign-in.ts";
import type { Events } from "../../telemetry/events.ts";
import { BY_COMMAND } from "../open-operator.ts";

type Parts = {
  signIn: Pick<PasswordSignIn, "isSetUp" | "makeFirst" | "offerSetup">;
  init: LoadedConfig["config"]["init"];
  events: Pick<Events, "initIgnored">;
  /** To standard error, and never into the log, which is kept and shipped. */
  write: (text: string) => void;
};

/** While there is nobody, makes the first owner from the settings, or offers a token to make them with. */
export async function setUpPeople({ signIn, init: { email, name, password }, events, write }: Parts): Promise<void> {
  if (email === null || password === null) return offerToken(await signIn.offerSetup(STARTED_TOGETHER_MS), write);
  if (await signIn.isSetUp()) return events.initIgnored();
  const owner = { email: email.toLowerCase(), name, password: password.reveal() };
  await signIn.makeFirst(owner, BY_COMMAND).catch((error: unknown) => {
    // Another process was faster.
    if (!(error instanceof Conflict)) throw error;
    events.initIgnored();
  });
}

/** Gateways of a new installation often start together. One token is enough, and with a second the first would be void. */
const STARTED_TOGETHER_MS = 60_000;

function offerToken(offer: Awaited<ReturnType<PasswordSignIn["offerSetup"]>>, write: Parts["write"]): void {
  if (offer === null) return;
  if (offer.token === null)
    return write(
      "No person operates this gateway yet. Another gateway on this database printed the setup token less than a minute ago; use that one, or start this gateway again later.\n",
    );
  write(
    `No person operates this gateway yet. Make the first owner within a day, with this setup token:\n  ${offer.token}\nOpen /console on the admin listener, or send POST /admin/v1/setup {"token": "…", "email": "…", "password": "…"}\n`,
  );
}
