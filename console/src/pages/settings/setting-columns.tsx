import type { ReactNode } from "react";
import type { Setting } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import type { Column } from "../../table/column.ts";

const TONES: Record<Setting["source"], Tone> = {
  default: "neutral",
  file: "accent",
  environment: "accent",
  command: "neutral",
};

/** In words: a secret says whether it is there, and nothing more. */
export const valueOf = ({ secret, is_set: isSet, value }: Setting): string =>
  secret ? (isSet ? "set, hidden" : "unset") : value === null ? "unset" : value === "" ? "empty" : value;

/** As numbers are written everywhere; the file and the tip have them as the settings take them. */
const grouped = (text: string): string => (/^\d{5,}$/.test(text) ? groupDigits(BigInt(text)) : text);

const isAbsent = ({ is_set: isSet, value, secret }: Setting): boolean => !isSet || (!secret && value === "");

export const SettingValue = ({ of: setting }: { of: Setting }): ReactNode =>
  isAbsent(setting) || setting.secret ? (
    <span className="text-ink-3">{valueOf(setting)}</span>
  ) : (
    <code
      className={`font-mono text-small ${setting.source === "default" ? "text-ink-2" : "font-semibold"}`}
      title={valueOf(setting)}
    >
      {grouped(valueOf(setting))}
    </code>
  );

export const SourceBadge = ({ source }: Pick<Setting, "source">): ReactNode => (
  <Badge tone={TONES[source]}>{source}</Badge>
);

export const SETTING_COLUMNS: readonly Column<Setting>[] = [
  {
    id: "path",
    head: "Setting",
    width: 264,
    cell: ({ path }) => <code className="font-mono text-small">{path}</code>,
    sort: ({ path }) => path,
    plain: ({ path }) => path,
  },
  {
    id: "value",
    head: "Value in force",
    width: 240,
    cell: (setting) => <SettingValue of={setting} />,
    sort: valueOf,
    plain: valueOf,
  },
  {
    id: "source",
    head: "Source",
    width: 120,
    cell: ({ source }) => <SourceBadge source={source} />,
    sort: ({ source }) => source,
    plain: ({ source }) => source,
  },
  {
    id: "place",
    head: "Where",
    width: 248,
    cell: ({ place }) =>
      place === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <code className="font-mono text-small" title={place}>
          {place}
        </code>
      ),
    sort: ({ place }) => place,
    plain: ({ place }) => place ?? "",
  },
  {
    id: "default",
    head: "Default",
    width: 152,
    hidden: true,
    cell: ({ default: usual }) => usual ?? <span className="text-ink-3">none</span>,
    sort: ({ default: usual }) => usual,
    plain: ({ default: usual }) => usual ?? "",
  },
  {
    id: "variable",
    head: "Variable",
    width: 296,
    hidden: true,
    cell: ({ environment }) => <code className="font-mono text-small">{environment}</code>,
    sort: ({ environment }) => environment,
    plain: ({ environment }) => environment,
  },
  {
    id: "description",
    head: "What it is for",
    cell: ({ description }) => (
      <span className="text-ink-2" title={description}>
        {description}
      </span>
    ),
    plain: ({ description }) => description,
  },
];
