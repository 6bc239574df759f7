import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { credentialSources } from "../config/read/credential-sources.ts";
import { createCredentialVault } from "./credential-vault.ts";
import { createSecret } from "../core/secret/secret.ts";
import { type CredentialHolder, createFindCredential } from "./find-credential.ts";

let folder = "";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tollgate-secrets-")));
});
afterAll(() => rmSync(folder, { recursive: true }));

const fileWith = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const environment = {
  PROVIDER_KEY: "provider-secret",
  EMPTY: "",
  DATABASE_URL: "postgres://u:p@db/x",
  TOLLGATE_ADMIN_TOKEN: "0123456789abcdef",
  PGPASSWORD: "of-the-database",
};
const vault = createCredentialVault({ key: createSecret(Buffer.alloc(32, 7).toString("base64")), previousKey: null });
const place = { provider: "acme", baseUrl: "https://api.example.com/v1" };
const credentials = (credentialRef: string, rest: Partial<CredentialHolder> = {}) =>
  createFindCredential({ sources: credentialSources(environment), vault, directories: [folder], allowed: null })({
    ...place,
    credentialRef,
    ...rest,
  });

test("a reference leads to a variable, to a file, or to nothing", () => {
  expect(credentials("env:PROVIDER_KEY")?.reveal()).toBe("provider-secret");
  expect(credentials(`file:${fileWith("key", "from-file\n")}`)?.reveal()).toBe("from-file");
  expect(credentials("none")).toBeNull();
});

test("a stored credential is opened for its provider alone, and one that was never stored is asked for", () => {
  const sealedCredential = vault.seal("from-row", place);

  expect(credentials("stored", { sealedCredential })?.reveal()).toBe("from-row");
  expect(() => credentials("stored", { sealedCredential, provider: "other" })).toThrow("of other does not open");
  for (const nothing of [{}, { sealedCredential: null }])
    expect(() => credentials("stored", nothing)).toThrow("no credential of acme has been stored yet");
});

test("a reference that leads nowhere is named in the refusal", () => {
  expect(() => credentials("env:MISSING")).toThrow("env:MISSING names a variable that is not set.");
  expect(() => credentials("env:EMPTY")).toThrow("env:EMPTY names a variable that is not set.");
  expect(() => credentials(`file:${folder}/missing`)).toThrow(
    `file:${folder}/missing names a file that cannot be read (ENOENT).`,
  );
  expect(() => credentials(`file:${fileWith("empty", "\n")}`)).toThrow("names an empty file.");
  mkdirSync(join(folder, "within"));
  expect(() => credentials(`file:${folder}/within`)).toThrow("EISDIR");
  expect(() => credentials(`file:${fileWith("large", "x".repeat(65_537))}`)).toThrow("larger than 65,536 bytes");
  expect(() => credentials(`file:${fileWith("binary", Buffer.from([0xff, 0xfe]))}`)).toThrow("not UTF-8 text");
});

test("Tollgate's own variables are never handed to a provider", () => {
  for (const name of ["DATABASE_URL", "TOLLGATE_ADMIN_TOKEN", "TOLLGATE_ANYTHING", "PGPASSWORD"]) {
    expect(() => credentials(`env:${name}`)).toThrow("belongs to Tollgate itself");
  }
});

test("what proves to a cloud who this process is is never handed to a provider", () => {
  for (const name of ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET", "IDENTITY_HEADER"])
    expect(() => credentials(`env:${name}`)).toThrow("belongs to Tollgate itself");
  const path = fileWith("token", "a-token");
  for (const name of ["AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_FEDERATED_TOKEN_FILE", "GOOGLE_APPLICATION_CREDENTIALS"]) {
    const own = createFindCredential({
      sources: credentialSources({ [name]: path }),
      vault,
      directories: [folder],
      allowed: null,
    });
    expect(() => own({ ...place, credentialRef: `file:${path}` })).toThrow("belongs to Tollgate itself");
  }
});

test("the files of Tollgate's own settings are never handed to a provider, however they are spelled", () => {
  const path = fileWith("own-key", "own-secret");
  const own = createFindCredential({
    sources: credentialSources({ TOLLGATE_CREDENTIAL_KEY_FILE: path }),
    vault,
    directories: [folder],
    allowed: null,
  });

  for (const spelled of [path, `${folder}/./own-key`, `${folder}/../${folder.split("/").at(-1)}/own-key`]) {
    expect(() => own({ ...place, credentialRef: `file:${spelled}` })).toThrow("belongs to Tollgate itself");
  }
  expect(credentials(`file:${path}`)?.reveal()).toBe("own-secret");
});

test("a link to a file of Tollgate's own settings is that file, as a mounted secret is one", () => {
  const path = fileWith("linked-key", "own-secret");
  const [symbolic, hard] = [join(folder, "symbolic"), join(folder, "hard")];
  symlinkSync(path, symbolic);
  linkSync(path, hard);

  for (const setting of [path, symbolic]) {
    const environment = { DATABASE_URL_FILE: setting };
    const own = createFindCredential({
      sources: credentialSources(environment),
      vault,
      directories: [folder],
      allowed: null,
    });
    for (const name of [path, symbolic, hard]) {
      expect(() => own({ ...place, credentialRef: `file:${name}` })).toThrow("belongs to Tollgate itself");
    }
  }
});

test("text that is no reference is not repeated, for it may be the credential itself", () => {
  for (const text of ["sk-live-secret", "", "env:", "env:A B", "file:relative", "none "]) {
    expect(() => credentials(text)).toThrow("a credential reference must be");
    expect(() => credentials(text)).not.toThrow("sk-live");
  }
});

test("files outside of the named directories are refused, whether they exist or not, and by whatever way they are named", () => {
  const inside = join(folder, "place");
  mkdirSync(inside);
  const outside = fileWith("outside", "not a credential");
  fileWith("place/key", "from-place");
  mkdirSync(join(folder, "place-of-another"));
  fileWith("place-of-another/key", "not a credential");
  symlinkSync(outside, join(inside, "leads-out"));
  symlinkSync(join(inside, "key"), join(inside, "stays-in"));
  symlinkSync(inside, join(folder, "leads-in"));
  const read = (path: string, directories: readonly string[] = [inside]) =>
    createFindCredential({ sources: credentialSources(environment), vault, directories, allowed: null })({
      ...place,
      credentialRef: `file:${path}`,
    })?.reveal();

  for (const path of ["key", "stays-in", "../place/key", "../leads-in/key"]) {
    expect(read(`${inside}/${path}`)).toBe("from-place");
  }
  expect(read(`${inside}/key`, [join(folder, "leads-in")])).toBe("from-place");
  for (const path of [
    outside,
    `${inside}/leads-out`,
    `${inside}/../outside`,
    `${folder}/place-of-another/key`,
    inside,
    "/does/not/exist",
  ]) {
    expect(() => read(path)).toThrow(`outside of the setting credential.directories (${inside}).`);
  }
  expect(() => read(`${inside}/key`, [])).toThrow("credential.directories (which is empty)");
});

test("where the settings say which reference goes where, it goes nowhere else", () => {
  const path = fileWith("bound", "from-file");
  const origins = [`env:PROVIDER_KEY=https://api.example.com`, `file:${path}=https://files.example.com`];
  const find = (credentialRef: string, baseUrl: string) =>
    createFindCredential({ sources: credentialSources(environment), vault, directories: [folder], allowed: origins })({
      provider: "acme",
      baseUrl,
      credentialRef,
    });

  expect(find("env:PROVIDER_KEY", "https://api.example.com/v1")?.reveal()).toBe("provider-secret");
  expect(find(`file:${path}`, "https://files.example.com")?.reveal()).toBe("from-file");
  for (const elsewhere of [
    "http://api.example.com/v1",
    "https://api.example.com:8443/v1",
    "https://api.example.com.evil.example/v1",
    "https://evil.example/https://api.example.com",
    "https://files.example.com",
  ])
    expect(() => find("env:PROVIDER_KEY", elsewhere), elsewhere).toThrow(
      `Add env:PROVIDER_KEY=${new URL(elsewhere).origin} to the setting credential.allowed_references.`,
    );
  for (const reference of ["env:HOME", `file:${fileWith("other", "x")}`])
    expect(() => find(reference, "https://api.example.com/v1"), reference).toThrow("may not be sent to this address");
  expect(find("none", "https://evil.example")).toBeNull();
});
