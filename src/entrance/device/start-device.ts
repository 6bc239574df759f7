import { hash, randomBytes } from "node:crypto";
import type { DeviceStarted, Visitor } from "../../core/people/device-sign-in.ts";
import { Fault } from "../../core/fault.ts";
import { createId } from "../../core/ids.ts";
import { placeOf } from "../../core/place-of.ts";
import { createUserCode, type DeviceGrantStore, shownUserCode } from "./device-grant.ts";

const EXPIRES_SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** Clients that wait at one address, which people of a company often share, and at all of them. */
const MOST_WAITING = { atPlace: 300, overall: 10_000 };
/** Two of 20^8 are equal once in a very long time. */
const MOST_CODES_TRIED = 5;
const AGENT_CHARACTERS = 120;

/** Gives a client a code to poll with, and its person one to type. */
export async function startDevice(
  store: Pick<DeviceGrantStore, "add" | "nowMs">,
  { address, agent }: Visitor,
): Promise<DeviceStarted> {
  const atMs = await store.nowMs();
  const deviceCode = randomBytes(32).toString("base64url");
  const order = {
    deviceDigest: hash("sha256", deviceCode, "buffer"),
    createdAtMs: atMs,
    expiresAtMs: atMs + EXPIRES_SECONDS * 1_000,
    address,
    place: address === null ? null : placeOf(address),
    agent: agent.replaceAll(/[^\x20-\x7e]/g, "").slice(0, AGENT_CHARACTERS),
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
