import type { CredentialOf, Target } from "./upstream.ts";

type Parts = {
  credential: CredentialOf;
  /** Told once when a provider's credential cannot be had, again when the reason changes, and when it can be had after all. */
  onChange: (change: { provider: string; problem: string | null }) => void;
};

/**
 * Tries the credential of every provider whenever the catalogue has been loaded. A credential that is missing is then known
 * at once and in words, not only when the first caller is refused; the routes of other providers are no worse off.
 */
export function createWatchCredentials({ credential, onChange }: Parts): (targets: Iterable<Target>) => void {
  let problems: ReadonlyMap<string, string> = new Map();
  return (targets) => {
    const holders = new Map([...targets].map((target) => [target.provider, target]));
    const found = new Map<string, string>();
    for (const [provider, target] of holders) {
      const problem = problemWith(credential, target);
      if (problem !== null) found.set(provider, problem);
      if (problem !== (problems.get(provider) ?? null)) onChange({ provider, problem });
    }
    problems = found;
  };
}

function problemWith(credential: CredentialOf, target: Target): string | null {
  try {
    credential(target);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
