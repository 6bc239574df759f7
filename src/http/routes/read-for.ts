import { invariant } from "../../core/invariant.ts";
import { hideCaller } from "../../wire/hide-caller.ts";
import { createStamp } from "../../wire/stamp.ts";
import type { Call } from "../door.ts";
import type { ReadRequest } from "../serve-generation.ts";

/**
 * A reader whose requests no longer say to a provider who asked, and which know what was sealed for their caller. Every
 * generation route reads through this.
 */
export function readFor({ visit }: Call, read: ReadRequest): ReadRequest {
  const { caller } = visit;
  invariant(caller, "a request without a caller");
  return (body, headers) => ({
    ...hideCaller(read(body, headers), body, caller.key.id),
    stamp: createStamp(caller.secret),
  });
}
