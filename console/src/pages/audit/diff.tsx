import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import type { Change } from "./changes-of.ts";

/** Before and after, field by field; what stayed is shown when it is asked for. */
export function Diff({ changes }: { changes: readonly Change[] }): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const stayed = changes.filter(({ changed }) => !changed).length;
  const rows = isWhole ? changes : changes.filter(({ changed }) => changed);
  return (
    <Card
      title="What changed"
      lead={changes.length === 0 ? "Nothing was changed." : `${changes.length - stayed} of ${changes.length} fields`}
      actions={
        stayed > 0 && (
          <Button aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Only what changed" : `Show ${stayed} that stayed`}
          </Button>
        )
      }
    >
      {rows.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        <div className="overflow-x-auto" role="region" aria-label="Before and after" tabIndex={0}>
          <table className="w-full min-w-[480px] table-fixed">
            <thead>
              <tr className="h-(--row) text-left text-small text-ink-2">
                <th scope="col" className="w-40 pr-3 font-medium">
                  Field
                </th>
                <th scope="col" className="pr-3 font-medium">
                  Before
                </th>
                <th scope="col" className="font-medium">
                  After
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ name, was, is, changed }) => (
                <tr key={name} className="border-t border-line/70 align-top">
                  <th scope="row" className="py-1.5 pr-3 text-left font-normal wrap-anywhere">
                    {name}
                  </th>
                  <Value text={was} mark={changed && was !== null ? "−" : ""} tone="bg-bad-soft text-bad" />
                  <Value text={is} mark={changed && is !== null ? "+" : ""} tone="bg-good-soft text-good" />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}

const Value = ({ text, mark, tone }: { text: string | null; mark: string; tone: string }): ReactNode => (
  <td className="py-1.5 pr-3">
    {text === null ? (
      <span className="text-ink-3">–</span>
    ) : (
      <span
        className={`inline-block rounded-sm px-1.5 font-mono text-small wrap-anywhere whitespace-pre-wrap ${mark === "" ? "" : tone}`}
      >
        {mark !== "" && `${mark} `}
        {text}
      </span>
    )}
  </td>
);
