import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import type { Shown } from "../../parts/state.tsx";
import type { useAccounts } from "./use-accounts.ts";

type More = { more: ReturnType<typeof useAccounts>["more"] };

/** Where more are found than were read. */
export const MoreAccounts = ({ more }: More): ReactNode =>
  more !== null && (
    <Button busy={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
      Load more
    </Button>
  );

export const moreShown = (shown: Shown, { more, count }: More & { count: number }): Shown =>
  more !== null && shown.kind === "ready"
    ? {
        kind: "too-many",
        note: `The first ${groupDigits(count)} that match are read. Sorting and the file have these alone.`,
      }
    : shown;
