import type { ReactNode } from "react";

/** A sentence of the API, whose `names` stand between backticks. */
export const CodeWords = ({ text }: { text: string }): ReactNode =>
  text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={index} className="font-mono text-small wrap-anywhere">
        {part}
      </code>
    ),
  );
