import type { AmbientSources } from "../ambient/ambient.ts";
import { readNamedFile } from "../ambient/read-named-file.ts";

/** What the files of the AWS command line say about one identity. */
export type AwsProfile = ReadonlyMap<string, string>;

/** By name. What both files say is taken from the file of credentials. */
export async function readProfiles(sources: AmbientSources): Promise<Map<string, AwsProfile>> {
  const config = parse(await readNamed(sources, "AWS_CONFIG_FILE", "config"), configName);
  const credentials = parse(await readNamed(sources, "AWS_SHARED_CREDENTIALS_FILE", "credentials"), (name) => name);
  const names = new Set([...config.keys(), ...credentials.keys()]);
  return new Map(
    [...names].map((name) => [name, new Map([...(config.get(name) ?? []), ...(credentials.get(name) ?? [])])]),
  );
}

/** A file that a variable names must be readable. Of those in the home folder, AWS's own programs take any failure for absence, and so do we. */
async function readNamed(sources: AmbientSources, name: string, usual: string): Promise<string> {
  const named = sources.variable(name) || null;
  if (named !== null) return readNamedFile(sources, name, named);
  const home = sources.variable("HOME") || null;
  return home === null ? "" : sources.readFile(`${home}/.aws/${usual}`).catch(() => "");
}

function configName(section: string): string | null {
  const [, , name] = /^profile\s+(["']?)(.+)\1$/.exec(section) ?? [];
  return name ?? (section === "default" ? section : null);
}

/** Sections, and in them `name = value`. Lines that belong to a nested setting are indented below a name without a value. */
function parse(text: string, nameOf: (section: string) => string | null): Map<string, Map<string, string>> {
  const profiles = new Map<string, Map<string, string>>();
  let profile: Map<string, string> | null = null;
  let nested = false;
  for (const written of text.split(/\r?\n/)) {
    const line = (written.split(/(?:^|\s)[;#]/, 1)[0] ?? "").trim();
    const [, section] = /^\[(.*)\]$/.exec(line) ?? [];
    const [, setting, value = ""] = /^([^=]*[^=\s])\s*=\s*(.*)$/.exec(line) ?? [];
    if (section !== undefined) {
      const name = nameOf(section.trim());
      profile = name === null ? null : (profiles.get(name) ?? new Map<string, string>());
      if (name !== null && profile !== null) profiles.set(name, profile);
      nested = false;
    } else if (setting !== undefined) {
      nested &&= /^\s/.test(written);
      if (value === "") nested = true;
      else if (!nested) profile?.set(setting, value);
    }
  }
  return profiles;
}
