import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { tell } from "../../parts/toast.tsx";
import { curlOf } from "./curl.ts";
import { Inspected } from "./inspected.tsx";
import { RequestFacts } from "./request-facts.tsx";
import { LATE, RequestPage } from "./request-page.tsx";
import { leadOf, spansOf } from "./spans.ts";

/** One request of any key. */
export function Inspector(): ReactNode {
  const { request: id } = useParams({ from: "/shell/requests/$request" });
  const asked = useQuery({ ...queryOf("GET /admin/v1/requests/{request}", { params: { request: id } }), ...LATE });
  return (
    <RequestPage asked={asked}>
      {(request) => (
        <>
          <Inspected
            request={request}
            money={request.money}
            spans={spansOf(request)}
            lead={leadOf(request)}
            facts={<RequestFacts request={request} />}
            actions={request.format !== null && <CopyAsCurl request={request} />}
            afterRefusal={<InTerminal code={request.code} />}
          />
          <div className="flex max-w-full min-w-0 flex-wrap items-center gap-2 text-small text-ink-2">
            The same in a terminal:
            <CopyText text={`tollgate requests show ${request.request_id}`} />
          </div>
        </>
      )}
    </RequestPage>
  );
}

const CopyAsCurl = ({ request }: { request: RequestDetail }): ReactNode => (
  <Button
    icon="copy"
    className="ml-auto"
    onClick={() =>
      void navigator.clipboard
        .writeText(curlOf(request))
        .then(() =>
          tell("Copied", "Set TOLLGATE_URL and TOLLGATE_KEY, and put your prompt in: the gateway keeps none."),
        )
    }
  >
    Copy as curl
  </Button>
);

const InTerminal = ({ code }: { code: string }): ReactNode => (
  <p className="text-small text-ink-3">
    The client has the same id in its <code className="font-mono">x-request-id</code> header.{" "}
    <CopyText text={`tollgate requests list --code ${code}`} />
  </p>
);
