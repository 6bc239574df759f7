import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";

/** The error as the caller got it, word by word. */
export const Refusal = ({ request, message }: { request: RequestDetail; message: string }): ReactNode => (
  <Card title="What the caller got" lead={`HTTP ${request.status}, error code ${request.code}`}>
    <blockquote className="border-l-2 border-bad pl-3 text-title wrap-anywhere">{message}</blockquote>
    <p className="mt-3 text-small text-ink-3">
      The client has the same id in its <code className="font-mono">x-request-id</code> header.{" "}
      <CopyText text={`tollgate requests list --code ${request.code}`} />
    </p>
  </Card>
);
