import type { ReactNode } from "react";

/** An account by the names from the root down. Its own stands first: what is cut where there is no room are those above it. */
export function AccountName({ path }: { path: string }): ReactNode {
  const end = path.lastIndexOf("/");
  return (
    <span title={path}>
      {path.slice(end + 1)}
      {end > 0 && <span className="ml-1.5 text-ink-3">{path.slice(0, end)}</span>}
    </span>
  );
}
