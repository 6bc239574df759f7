import type { AddressOf } from "../../keys/authenticate.ts";
import type { RateDenials } from "../../ledger/turn/rate-denials.ts";
import { type Caller, type PresentedCredential, requireRate } from "../open-request.ts";
import type { HolderDoor } from "./holder-door.ts";

type PresentedSession = Pick<PresentedCredential, "onRate" | "onKey"> & { token: string | null; address: AddressOf };

/** Who generates with a session: its key, read from the database. From here on nothing tells it from a caller who sent the key. */
export type OpenSession = (presented: PresentedSession) => Promise<Caller>;

export const createOpenSession = ({ door, denials }: { door: Pick<HolderDoor, "keyOf">; denials: RateDenials }) => {
  const open: OpenSession = async (presented) => {
    const { token, address, onRate, onKey } = presented;
    const key = await door.keyOf({ token, address });
    onKey?.(key);
    requireRate(denials, key, onRate);
    // What was presented is the token: it seals what is kept for this caller, as a key does for whoever sends it.
    return { key, secret: token ?? "", onRate, again: () => open(presented) };
  };
  return open;
};
