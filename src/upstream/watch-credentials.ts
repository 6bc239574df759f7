import type { Route } from "../core/route.ts";
import type { CredentialOf } from "./upstream.ts";

type Parts = {
  credential: CredentialOf;
  /** Told once when a provider's credential cannot be had, again when the reason changes, and when it can be had after all. */
  onChange: (change: { provider: string; problem: string | null }) => void;
};

/**
 * Tries the credential of every provider whenever the catalogue has been loaded. A credential that is missing is then known
 * at once and in words, not only when the first caller is refused; the routes of other providers are no worse off.
 */
export function createWatchCredentials({ credential, onChange }: Parts): (routes: Iterable<Route>) => void {
  let problems: ReadonlyMap<string, string> = new Map();
  return (routes) => {
    const holders = new Map([...routes].map((route) => [route.provider, route]));
    const found = new Map<string, string>();
    for (const [provider, route] of holders) {
      const problem = problemWith(credential, route);
      if (problem !== null) found.set(provider, problem);
      if (problem !== (problems.get(provider) ?? null)) onChange({ provider, problem });
    }
    problems = found;
  };
}

function problemWith(credential: CredentialOf, route: Route): string | null {
  try {
    credential(route);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
