import type { CredentialHolder } from "./find-credential.ts";

type Parts = {
  /** Why the credential of a provider cannot be had; null when it can. */
  problem: (holder: CredentialHolder) => string | null;
  /** Told once when a provider's credential cannot be had, again when the reason changes, and when it can be had after all. */
  onChange: (change: { provider: string; problem: string | null }) => void;
};

/**
 * Tries the credential of every provider whenever the catalogue has been loaded. A credential that is missing is then known
 * at once and in words, not only when the first caller is refused; the routes of other providers are no worse off.
 */
export function createWatchCredentials(parts: Parts): (holders: Iterable<CredentialHolder>) => void {
  let problems: ReadonlyMap<string, string> = new Map();
  return (holders) => {
    const found = new Map<string, string>();
    for (const [provider, holder] of new Map([...holders].map((given) => [given.provider, given]))) {
      const problem = parts.problem(holder);
      if (problem !== null) found.set(provider, problem);
      if (problem !== (problems.get(provider) ?? null)) parts.onChange({ provider, problem });
    }
    problems = found;
  };
}
