import { sealsOf } from "../../src/translate/form/native.ts";
import { createStamp, type Stamp } from "../../src/wire/stamp.ts";

/** The secret of the one caller that tests of the translation have. */
const SECRET = "tgc_0000000000000000000000000000000000000000";

/** A stamp is one request's; all of these are of one caller. */
export const callerStamp = (): Stamp => createStamp(SECRET);

/** As that caller was once given it. */
export const { seal, open: openSeal } = sealsOf(callerStamp());
