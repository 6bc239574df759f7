import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Menu } from "../parts/menu.tsx";
import type { Column } from "./column.ts";

type Props<Row> = {
  columns: readonly Column<Row>[];
  isVisible: (id: string) => boolean;
  onToggle: (id: string) => void;
};

export const ColumnChoice = <Row,>({ columns, isVisible, onToggle }: Props<Row>): ReactNode => (
  <Menu trigger={<IconButton label="Choose columns" icon="columns" />}>
    {columns.slice(1).map(({ id, head }) => (
      <Base.CheckboxItem
        key={id}
        checked={isVisible(id)}
        onCheckedChange={() => onToggle(id)}
        className="flex h-8 cursor-default items-center gap-2 rounded-sm px-2 outline-none select-none data-highlighted:bg-sunken"
      >
        <span className="w-4">
          <Base.CheckboxItemIndicator>
            <Icon name="check" />
          </Base.CheckboxItemIndicator>
        </span>
        {head}
      </Base.CheckboxItem>
    ))}
  </Menu>
);
