import { COLLECTOR_URL } from "./patterns.ts";
import { choice, group, groupMappings, integer, optionalText, secret, text } from "./setting.ts";

/** Without TLS only to the machine itself. */
const ISSUER_URL = {
  pattern: /^(?:https:\/\/[^\s/?#@]+|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?)(?:\/[^\s?#]*)?$/,
  expected: "an https URL without credentials or query, exactly as the provider names itself",
};
const CLIENT_SECRET = { pattern: /^[\x21-\x7e]{8,512}$/, expected: "8 to 512 printable characters without spaces" };
const CLIENT_ID = { pattern: /^[\x21-\x7e]{1,255}$/, expected: "1 to 255 printable characters without spaces" };
const SCOPES = {
  pattern: /^openid(?: [\x21\x23-\x5b\x5d-\x7e]{1,100}){0,19}$/,
  expected: "scopes separated by spaces; the first is openid",
};
const CLAIM = { pattern: /^[\x21-\x7e]{1,200}$/, expected: "the name of a claim" };

/** Those that make a sign-in safe are the gateway's own. */
const OWN =
  "(?:client_id|redirect_uri|response_type|response_mode|scope|state|nonce|code_challenge|code_challenge_method|request|request_uri)=";
const PARAMETER = `(?!${OWN})[A-Za-z_]{1,50}=[\\w.~%+-]{1,200}`;
const PARAMETERS = {
  pattern: new RegExp(`^(?:${PARAMETER}(?:&${PARAMETER}){0,9})?$`),
  expected: "parameters such as access_type=offline&prompt=consent, and none that the gateway sets itself",
};

const FILE_PATH = { pattern: /^[^\0\n]{1,4096}$/, expected: "the path of a file" };

/** Single sign-on. */
export const signInSettings = group(
  "Single sign-on through an OpenID Connect provider: of people who operate the gateway, and of people whose clients call it. It is off unless `issuer` is set.",
  {
    issuer: optionalText(
      ISSUER_URL,
      "Issuer URL of the provider, as in its `/.well-known/openid-configuration`. Requires `client_id`, `groups` and `credential.key`.",
    ),
    client_id: optionalText(CLIENT_ID, "Id that the provider gave to this gateway."),
    client_secret: secret(
      CLIENT_SECRET,
      "Secret that the provider gave to this gateway. Leave it unset if the provider registered a public client.",
    ),
    scopes: text(
      { ...SCOPES, fallback: "openid profile email offline_access" },
      "Scopes to request, separated by spaces. `offline_access` asks for a refresh token, without which people who leave keep their access until their session ends.",
    ),
    authorization_parameters: text(
      { ...PARAMETERS, fallback: "" },
      "Further parameters of the request that sends people to the provider, as in a URL. Google needs `access_type=offline&prompt=consent` to give a refresh token.",
    ),
    groups_claim: text(
      { ...CLAIM, fallback: "groups" },
      "Claim that lists the groups of a person, in the ID token or in the response of the userinfo endpoint.",
    ),
    groups: groupMappings(
      "What the members of each group get, one group on each line or separated by semicolons: `GROUP -> ROLE`, `GROUP -> ROLE at ACCOUNT`, `GROUP -> member of ACCOUNT with 50 per month`. Separate several with commas. The group `*` is everybody. People in none of these groups can't sign in.",
    ),
    refresh_every_ms: integer(
      { min: 1_000, max: 86_400_000, fallback: 300_000 },
      "How often the provider is asked for the groups of each person, and whether they may still sign in, in milliseconds.",
    ),
    client_settings: optionalText(
      FILE_PATH,
      'Path of a JSON file with the settings of signed-in Claude Code clients by group: a list of `{"group": "search", "settings": {…}}`. The group `*` is everybody; later entries replace what earlier ones say. Read at start. If unset, no settings are managed.',
    ),
    client_telemetry_url: optionalText(
      COLLECTOR_URL,
      "Base URL of a collector that accepts OTLP over HTTP. What signed-in Claude Code clients send to `/v1/metrics`, `/v1/logs` and `/v1/traces` is forwarded there, and their settings turn it on. If unset, it is accepted and dropped.",
    ),
    link_by_email: choice(
      { values: ["verified", "always"], fallback: "verified" },
      "At the first sign-in with the email address of a person who was added here, or of an account that was prepared in their team: `verified` gives it to them only if the provider says that it verified the address. Set `always` if the provider does not say it and only your organisation assigns addresses there.",
    ),
  },
);
