import { hash, randomBytes } from "node:crypto";
import type { CameBack, ClientTokens, DeviceSignIn, Visitor } from "../../core/people/device-sign-in.ts";
import { Fault, fieldFault } from "../../core/fault.ts";
import { Forbidden } from "../../core/forbidden.ts";
import { placeOf } from "../../core/place-of.ts";
import type { AddressLimit } from "../../keys/address-limit.ts";
import type { FailureStore } from "../sign-in-throttle.ts";
import type { SignIn } from "../single-sign-on/sign-in.ts";
import { clientNamed } from "./client-named.ts";
import { type DeviceGrant, type DeviceGrantStore, readUserCode, shownUserCode } from "./device-grant.ts";
import { limitLookups, type CodeLookUp } from "./limit-lookups.ts";
import { startDevice } from "./start-device.ts";

/** Clients count the interval from the answer, and networks are uneven. */
const LEAST_BETWEEN_MS = 4_500;
/**
 * How often one code may be typed; how many wrong ones from one address, and about how many a person is asked, in a quarter of an hour.
 * Where addresses are not known, wrong codes have no limit: one for all would let anybody keep everybody out. A guess is one of 20^8,
 * and leads nowhere without a sign-in of the guesser, who is counted then.
 */
const MOST_ENTRIES = 10;
const MOST_WRONG = 20;
const MOST_ASKED = 30;
const WINDOW_MS = 15 * 60_000;
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

export function createDeviceSignIn(parts: Parts): DeviceSignIn {
  const { store, sessions } = parts;
  const lookUp = limitLookups(parts.unknown);
  return {
    start: (from) => startDevice(store, from),
    readCode: (typed) => {
      const code = readUserCode(typed);
      return code === null ? null : shownUserCode(code);
    },
    enter: (typed, from) => enter(parts, typed, from),
    beginInBrowser: (returnTo, from) => beginInBrowser(parts, returnTo, from),
    cameBack: (came) => comeBack(parts, came),
    decide: (secret, decision) => decide(parts, secret, decision),
    redeem: (deviceCode, from) => redeem(parts, lookUp, { deviceCode, from }),
    refresh: async (refreshToken, from) => {
      const look = () => sessions.refresh(refreshToken);
      const outcome = await lookUp(from, { look, isKnown: ({ kind }) => kind === "refreshed" });
      return outcome.kind === "refreshed" ? tokensOf(outcome.tokens) : null;
    },
    revoke: async (token, from) => {
      await lookUp(from, { look: () => sessions.revoke(token), isKnown: (ended) => ended !== null });
    },
  };
}

/** A typed code counts as wrong before it is looked at, so that those who come together are all counted; what was right is taken back. */
async function enter(parts: Parts, typed: string, { address }: Visitor) {
  const { store, failures, signIn } = parts;
  const subjects = address === null ? [] : [digestOf(`device code ${placeOf(address)}`)];
  await count(parts, subjects, { most: MOST_WRONG, what: "wrong codes were typed" });
  const code = readUserCode(typed);
  const grant = code === null ? null : await store.enter(code, { atMs: await store.nowMs(), most: MOST_ENTRIES });
  if (grant === null)
    throw new Fault("invalid_request", "This code is not valid, or it has expired. Check what your terminal shows.", {
      param: "user_code",
    });
  if (subjects.length > 0) await failures.forgive(subjects);
  return signIn.begin(`/device/${grant.id}`);
}

async function beginInBrowser({ departures, signIn }: Parts, returnTo: string | null, { address }: Visitor) {
  const waitMs = address === null ? 0 : departures.waitMs(address);
  if (waitMs > 0) throw tooManyBegun(waitMs);
  if (address !== null) departures.noteUnknown(address);
  const path = returnTo ?? CONSOLE;
  if (path !== CONSOLE && !path.startsWith(`${CONSOLE}/`))
    throw fieldFault("return_to", `Input should be a path of the console, such as ${CONSOLE}/sessions`);
  return signIn.begin(path);
}

type Came = Parameters<DeviceSignIn["cameBack"]>[0];

/** Asks whoever came back about the client whose code they typed; without a code, they came for themselves. */
async function comeBack(parts: Parts, { query, state, address, agent, requestId }: Came): Promise<CameBack> {
  const { store, signIn, personOf } = parts;
  const { personId, returnTo } = await signIn
    .identify({ query, state, address: address ?? "", agent, requestId })
    .catch(asFault);
  const id = RETURN.exec(returnTo)?.[1];
  if (id === undefined) return { kind: "identified", personId, returnTo };
  const person = await personOf(personId);
  if (person === null || person.account === null) throw noAccount(person);
  const subject = digestOf(`device person ${personId}`);
  await count(parts, [subject], { most: MOST_ASKED, what: "clients asked for your approval" });
  const secret = randomBytes(32).toString("base64url");
  const atMs = await store.nowMs();
  const grant = await store.identify(id, { personId, answerDigest: digestOf(secret), atMs });
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
}

type Decision = Parameters<DeviceSignIn["decide"]>[1];

async function decide({ store, personOf, audit }: Parts, secret: string, { verdict, ...from }: Decision) {
  const decided = await store.decide(digestOf(secret), { verdict, atMs: await store.nowMs() });
  if (decided === null) throw nothingWaits();
  const { grant, personId } = decided;
  const email = (await personOf(personId))?.email ?? "";
  const client = clientNamed(grant.agent);
  const reason = `${verdict} ${client}, code ${shownUserCode(grant.userCode)}`;
  await audit({ id: personId, email }, { ...from, reason });
  return { email, client };
}

async function redeem(
  { store, sessions }: Parts,
  lookUp: CodeLookUp,
  { deviceCode, from }: { deviceCode: string; from: Visitor },
): ReturnType<DeviceSignIn["redeem"]> {
  const polled = await lookUp(from, {
    look: async () =>
      DEVICE_CODE.test(deviceCode)
        ? store.poll(digestOf(deviceCode), { atMs: await store.nowMs(), leastMs: LEAST_BETWEEN_MS })
        : ({ kind: "expired" } as const),
    isKnown: ({ kind }) => kind !== "expired",
  });
  if (polled.kind !== "approved") return polled.kind;
  try {
    return await beginSession(sessions, polled.personId, polled.grant);
  } catch (error) {
    await store.giveBack(polled.grant.id);
    throw error;
  }
}

type Origin = Pick<DeviceGrant, "agent" | "address">;

async function beginSession(sessions: GiveSessions, personId: string, { agent, address }: Origin) {
  const outcome = await sessions.begin(personId, { client: clientNamed(agent), agent, address });
  return outcome.kind === "begun" ? tokensOf(outcome.tokens) : "denied";
}

async function count(
  { store, failures }: Parts,
  subjects: readonly Buffer[],
  { most, what }: { most: number; what: string },
): Promise<void> {
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

const digestOf = (text: string): Buffer => hash("sha256", text, "buffer");
