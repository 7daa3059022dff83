/** Buttons below a question, as Discord draws them. */
import type { OutboundPiece } from "@margay/core/plugin";
import type { Wire } from "./json.ts";

/** Numbers of Discord. */
const ROW = 1;
export const BUTTON = 2;
const STYLES = { allow: 3, deny: 4, plain: 2 } as const;
const PER_ROW = 5;

export function componentsOf({ actions = [] }: OutboundPiece): readonly Wire[] {
  const buttons = actions.map(({ token, label, style }) => ({
    type: BUTTON,
    style: STYLES[style],
    label: [...label].slice(0, 80).join(""),
    custom_id: token,
  }));
  return Array.from({ length: Math.ceil(buttons.length / PER_ROW) }, (_, row) => ({
    type: ROW,
    components: buttons.slice(row * PER_ROW, (row + 1) * PER_ROW),
  }));
}
