import { hash, randomBytes } from "node:crypto";
import type { ClientTokens, DeviceSignIn, DeviceStarted, Visitor } from "../../core/device-sign-in.ts";
import { Fault, fieldFault } from "../../core/fault.ts";
import { Forbidden } from "../../core/forbidden.ts";
import { createId } from "../../core/ids.ts";
import { placeOf } from "../../core/place-of.ts";
import type { AddressLimit } from "../../keys/address-limit.ts";
import { createUserCode, type DeviceGrantStore, readUserCode, shownUserCode } from "./device-grant.ts";
import type { FailureStore } from "../sign-in-throttle.ts";
import { clientNamed } from "./client-named.ts";
import type { SignIn } from "../single-sign-on/sign-in.ts";

const EXPIRES_SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** Clients count the interval from the answer, and networks are uneven. */
const LEAST_BETWEEN_MS = 4_500;
/** Clients that wait at one address, which people of a company often share, and at all of them. */
const MOST_WAITING = { atPlace: 300, overall: 10_000 };
/**
 * How often one code may be typed; how many wrong ones from one address, and about how many a person is asked, in a quarter of an hour.
 * Where addresses are not known, wrong codes have no limit: one for all would let anybody keep everybody out. A guess is one of 20^8,
 * and leads nowhere without a sign-in of the guesser, who is counted then.
 */
const MOST_ENTRIES = 10;
const MOST_WRONG = 20;
const MOST_ASKED = 30;
const WINDOW_MS = 15 * 60_000;
/** Two of 20^8 are equal once in a very long time. */
const MOST_CODES_TRIED = 5;
const MOST_LOOKUPS = 64;
const AGENT_CHARACTERS = 120;
const DEVICE_CODE = /^[\w-]{43}$/;
/** Where browsers go that came for the console of key holders. */
const CONSOLE = "/console";
const RETURN = /^\/device\/([\da-f-]{36})$/;

/** Who a person is, as the page shows it. */
export type ShownPerson = { email: string; name: string; account: string | null };

/** What clients get once they are approved. */
export type GiveSessions = {
  begin: (
    personId: string,
    from: { client: string; agent: string; address: string | null },
  ) => Promise<{ kind: "begun"; tokens: ClientTokens } | { kind: "refused" }>;
  refresh: (refreshToken: string) => Promise<{ kind: "refreshed"; tokens: ClientTokens } | { kind: "refused" }>;
  revoke: (token: string) => Promise<unknown>;
};

type Parts = {
  store: DeviceGrantStore;
  failures: Pick<FailureStore, "count" | "forgive">;
  signIn: Pick<SignIn, "begin" | "identify">;
  sessions: GiveSessions;
  /** Codes and tokens that nobody was given, by address. */
  unknown: AddressLimit;
  /** Browsers that went to the provider, by address: anybody can send one there. */
  departures: AddressLimit;
  /** Null: there is no such person any more. */
  personOf: (personId: string) => Promise<ShownPerson | null>;
  /** Written into the audit log before the client can use it. */
  audit: (person: { id: string; email: string }, from: Visitor & { reason: string }) => Promise<void>;
};

// oxlint-disable-next-line max-lines-per-function -- the steps of one flow, in their order.
export function createDeviceSignIn(parts: Parts): DeviceSignIn {
  const { store, failures, signIn, sessions, unknown, departures, personOf } = parts;
  let lookups = 0;

  async function start({ address, agent }: Visitor): Promise<DeviceStarted> {
    const atMs = await store.nowMs();
    const deviceCode = randomBytes(32).toString("base64url");
    const order = {
      deviceDigest: digestOf(deviceCode),
      createdAtMs: atMs,
      expiresAtMs: atMs + EXPIRES_SECONDS * 1_000,
      address,
      place: address === null ? null : placeOf(address),
      agent: printable(agent).slice(0, AGENT_CHARACTERS),
    };
    for (let tried = 0; tried < MOST_CODES_TRIED; tried++) {
      const userCode = createUserCode();
      const outcome = await store.add({ ...order, id: createId(atMs), userCode }, MOST_WAITING);
      if (outcome === "too_many")
        throw new Fault(
          "rate_limit_exceeded",
          `Too many sign-ins were started${address === null ? "" : " from this address"}. Try again later.`,
          { retryAfterSeconds: 60 },
        );
      if (outcome === "added")
        return {
          deviceCode,
          userCode: shownUserCode(userCode),
          expiresInSeconds: EXPIRES_SECONDS,
          intervalSeconds: INTERVAL_SECONDS,
        };
    }
    throw new Fault("service_unavailable", "No code is free. Try again.", { retryAfterSeconds: 5 });
  }

  async function count(subjects: readonly Buffer[], { most, what }: { most: number; what: string }): Promise<void> {
    if (subjects.length === 0) return;
    const atMs = await store.nowMs();
    const [counted] = await failures.count(subjects, { atMs, windowMs: WINDOW_MS });
    if (counted === undefined || counted.failures <= most) return;
    const minutes = Math.max(1, Math.ceil((counted.endsAtMs - atMs) / 60_000));
    throw new Fault(
      "rate_limit_exceeded",
      `Too many ${what}. Try again in ${minutes} minute${minutes === 1 ? "" : "s"}.`,
      { retryAfterSeconds: minutes * 60 },
    );
  }

  /** Counted before it is looked at, so that those who come together are all counted; what was right is taken back. */
  async function guarded<Found>({ address }: Visitor, look: () => Promise<Found | null>): Promise<Found> {
    const subjects = address === null ? [] : [digestOf(`device code ${placeOf(address)}`)];
    await count(subjects, { most: MOST_WRONG, what: "wrong codes were typed" });
    const found = await look();
    if (found === null)
      throw new Fault("invalid_request", "This code is not valid, or it has expired. Check what your terminal shows.", {
        param: "user_code",
      });
    if (subjects.length > 0) await failures.forgive(subjects);
    return found;
  }

  /** A flood of made-up codes and tokens must not become a flood of queries. */
  async function lookedUp<Found>(
    { address }: Visitor,
    { look, isKnown }: { look: () => Promise<Found>; isKnown: (found: Found) => boolean },
  ): Promise<Found> {
    const waitMs = address === null ? 0 : unknown.waitMs(address);
    if (waitMs > 0)
      throw new Fault("rate_limit_exceeded", "Too many unknown codes or tokens were sent from this address.", {
        retryAfterSeconds: Math.ceil(waitMs / 1_000),
      });
    if (lookups >= MOST_LOOKUPS)
      throw new Fault("service_unavailable", "Too many clients sign in at once. Try again.", { retryAfterSeconds: 5 });
    lookups++;
    try {
      const found = await look();
      if (address !== null && !isKnown(found)) unknown.noteUnknown(address);
      return found;
    } finally {
      lookups--;
    }
  }

  async function begun(
    personId: string,
    grant: { agent: string; address: string | null },
  ): Promise<ClientTokens | null> {
    const from = { client: clientNamed(grant.agent), agent: grant.agent, address: grant.address };
    const outcome = await sessions.begin(personId, from);
    return outcome.kind === "begun" ? tokensOf(outcome.tokens) : null;
  }

  return {
    start,

    readCode: (typed) => {
      const code = readUserCode(typed);
      return code === null ? null : shownUserCode(code);
    },

    enter: async (typed, from) => {
      const { id } = await guarded(from, async () => {
        const code = readUserCode(typed);
        return code === null ? null : store.enter(code, { atMs: await store.nowMs(), most: MOST_ENTRIES });
      });
      return signIn.begin(`/device/${id}`);
    },

    beginInBrowser: async (returnTo, { address }) => {
      const waitMs = address === null ? 0 : departures.waitMs(address);
      if (waitMs > 0) throw tooManyBegun(waitMs);
      if (address !== null) departures.noteUnknown(address);
      const path = returnTo ?? CONSOLE;
      if (path !== CONSOLE && !path.startsWith(`${CONSOLE}/`))
        throw fieldFault("return_to", `Input should be a path of the console, such as ${CONSOLE}/sessions`);
      return signIn.begin(path);
    },

    cameBack: async ({ query, state, address, agent, requestId }) => {
      const { personId, returnTo } = await signIn
        .identify({ query, state, address: address ?? "", agent, requestId })
        .catch(asFault);
      const id = RETURN.exec(returnTo)?.[1];
      if (id === undefined) return { kind: "identified", personId, returnTo };
      const person = await personOf(personId);
      if (person === null || person.account === null) throw noAccount(person);
      await count([digestOf(`device person ${personId}`)], {
        most: MOST_ASKED,
        what: "clients asked for your approval",
      });
      const secret = randomBytes(32).toString("base64url");
      const atMs = await store.nowMs();
      const who = { personId, answerDigest: digestOf(secret), atMs };
      const grant = await store.identify(id, who);
      if (grant === null) throw nothingWaits();
      const question = {
        email: person.email,
        name: person.name,
        account: person.account,
        userCode: shownUserCode(grant.userCode),
        client: clientNamed(grant.agent),
        clientAddress: grant.address,
        browserAddress: address,
        startedMsAgo: atMs - grant.createdAtMs,
      };
      return { kind: "asked", question, secret };
    },

    decide: async (secret, { verdict, ...from }) => {
      const decided = await store.decide(digestOf(secret), { verdict, atMs: await store.nowMs() });
      if (decided === null) throw nothingWaits();
      const { grant, personId } = decided;
      const email = (await personOf(personId))?.email ?? "";
      const reason = `${verdict} ${clientNamed(grant.agent)}, code ${shownUserCode(grant.userCode)}`;
      await parts.audit({ id: personId, email }, { ...from, reason });
      return { email, client: clientNamed(grant.agent) };
    },

    redeem: async (deviceCode, from) => {
      const polled = await lookedUp(from, {
        look: async () =>
          DEVICE_CODE.test(deviceCode)
            ? store.poll(digestOf(deviceCode), { atMs: await store.nowMs(), leastMs: LEAST_BETWEEN_MS })
            : ({ kind: "expired" } as const),
        isKnown: ({ kind }) => kind !== "expired",
      });
      if (polled.kind !== "approved") return polled.kind;
      const { grant, personId } = polled;
      try {
        return (await begun(personId, grant)) ?? "denied";
      } catch (error) {
        await store.giveBack(grant.id);
        throw error;
      }
    },

    refresh: async (refreshToken, from) => {
      const look = () => sessions.refresh(refreshToken);
      const outcome = await lookedUp(from, { look, isKnown: ({ kind }) => kind === "refreshed" });
      return outcome.kind === "refreshed" ? tokensOf(outcome.tokens) : null;
    },

    revoke: async (token, from) => {
      await lookedUp(from, { look: () => sessions.revoke(token), isKnown: (ended) => ended !== null });
    },
  };
}

const tokensOf = ({ accessToken, refreshToken, expiresInSeconds }: ClientTokens): ClientTokens => ({
  accessToken,
  refreshToken,
  expiresInSeconds,
});

/** People who sign in here are no operators, so they are told as callers are. */
function asFault(error: unknown): never {
  throw error instanceof Forbidden ? new Fault("key_disabled", error.message) : error;
}

const noAccount = (person: ShownPerson | null): Fault =>
  new Fault(
    "key_disabled",
    `${person?.email ?? "This person"} has no account here to pay from. Ask an operator to add one of your groups to a team in sign_in.groups.`,
  );

const tooManyBegun = (waitMs: number): Fault =>
  new Fault("rate_limit_exceeded", "Too many sign-ins were started from this address. Try again in a minute.", {
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });

const nothingWaits = (): Fault =>
  new Fault(
    "invalid_request",
    "No client waits for this answer any more: it was answered already, or it took over 10 minutes. Start again in your terminal.",
  );

const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, "");

const digestOf = (text: string): Buffer => hash("sha256", text, "buffer");
