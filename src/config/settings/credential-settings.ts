import { DIRECTORIES, KEY_OF_32_BYTES, REFERENCE_LIST } from "./patterns.ts";
import { group, secret, text } from "./setting.ts";

export const credentialSettings = group("Credentials of providers: encrypted in the database, or in files.", {
  key: secret(
    KEY_OF_32_BYTES,
    "Encryption key for credentials in the database: 32 random bytes in base64. Every process that uses a stored credential and every command that stores one needs it.",
  ),
  previous_key: secret(
    KEY_OF_32_BYTES,
    "Previous encryption key, for decryption only. Set it while you rotate `key`, and remove it after `tollgate providers rekey`.",
  ),
  directories: text(
    { ...DIRECTORIES, fallback: "/run/secrets" },
    "Directories that may contain the files of `file:` credentials, also in subdirectories, separated by commas. Symbolic links are resolved first. If empty, `file:` credentials are not allowed.",
  ),
  allowed_references: text(
    { ...REFERENCE_LIST, fallback: "" },
    "Which `env:` and `file:` credentials and cloud identities may be sent to which origin: `env:OPENAI_API_KEY=https://api.openai.com`, separated by commas. All others are then rejected, so that an operator cannot send a variable or a file to an address of their own. If empty, any `env:` and `file:` credential may be sent to any provider, and an identity to the hosts of its cloud.",
  ),
});
