/** A line to search with, and below it what fits: Ctrl-R over the history. */
import type { Component, SelectItem } from "@earendil-works/pi-tui";
import { fit, type Kit } from "../layout/kit.ts";

const VISIBLE = 8;

/** @returns what to draw and who gets the keys; `chosen` resolves with undefined when it was closed. */
export function searchList(
  title: string,
  texts: readonly string[],
  kit: Kit,
): { readonly component: Component; readonly chosen: Promise<string | undefined> } {
  const { pi, style } = kit;
  const { promise: chosen, resolve } = Promise.withResolvers<string | undefined>();
  const field = new pi.Input({ prompt: "/ " });
  field.focused = true;
  const newest = [...new Set(texts.toReversed())];
  const listOf = (wanted: string): InstanceType<typeof pi.SelectList> => {
    const words = wanted.toLowerCase().split(/\s+/);
    const found = newest.filter((text) => words.every((word) => text.toLowerCase().includes(word)));
    const items = found.map((text): SelectItem => ({ value: text, label: text.replaceAll(/\s+/g, " ") }));
    const list = new pi.SelectList(items, VISIBLE, style.list);
    list.onSelect = ({ value }) => resolve(value);
    list.onCancel = () => resolve(undefined);
    return list;
  };
  let list = listOf("");
  return {
    chosen,
    component: {
      render: (width) => [fit(style.bold(title), width, kit), ...field.render(width), ...list.render(width)],
      invalidate: () => list.invalidate(),
      handleInput: (data) => {
        const keys = pi.getKeybindings();
        if (pi.matchesKey(data, "ctrl+r")) return list.handleInput("\x1b[B"); // the one before, as shells do it
        const isOfList = (["up", "down", "pageUp", "pageDown", "confirm", "cancel"] as const).some((name) =>
          keys.matches(data, `tui.select.${name}`),
        );
        if (isOfList) return list.handleInput(data);
        field.handleInput(data);
        list = listOf(field.getValue());
      },
    },
  };
}
