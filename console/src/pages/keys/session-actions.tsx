import { type ReactNode, useState } from "react";
import type { Key } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { useMay } from "../../shell/may.ts";
import { EndClientSession } from "../people/end-client-session.tsx";

/** A client session has no secret to rotate and no money of its own: it goes on, or it ends. */
export function SessionActions({ of: key, person }: { of: Key; person: string }): ReactNode {
  const may = useMay();
  const [isAsked, setAsked] = useState(false);
  if (key.status === "revoked") return <span className="text-ink-2">This session has ended.</span>;
  if (!may("endClientSession")) return null;
  const session = { id: key.id, person_id: person, client: key.label ?? "this client" };
  return (
    <>
      <Button look="danger" onClick={() => setAsked(true)}>
        End the session
      </Button>
      {isAsked && <EndClientSession of={session} name="Its person" onClose={() => setAsked(false)} />}
    </>
  );
}
