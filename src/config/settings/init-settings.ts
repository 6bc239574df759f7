import { group, optionalText, secret } from "./setting.ts";

const EMAIL = { pattern: /^(?=.{3,254}$)[^\s@]+@[^\s@]+$/, expected: "an email address" };
const NAME = { pattern: /^[^\r\n]{1,200}$/, expected: "1 to 200 characters" };
const PASSWORD = { pattern: /^[^\r\n]{12,256}$/, expected: "12 to 256 characters on one line" };

/** The first owner. */
export const initSettings = group(
  "The first owner, whom `tollgate serve` creates while the gateway has no people, instead of printing a setup token. Once there is or was a person, these settings are ignored, and the log says so.",
  {
    email: optionalText(EMAIL, "Email address of the first owner. Requires `password`."),
    name: optionalText(NAME, "Name of the first owner. If unset, the email address."),
    password: secret(PASSWORD, "First password of the first owner. Remove it once they have changed it."),
  },
);
