/** A line that shows nothing of what is typed or pasted into it but how long it is. */
import type { Component } from "@earendil-works/pi-tui";
import { fit, type Kit } from "../layout/kit.ts";

const SHOWN_DOTS = 40;

export function secretField(
  title: string,
  kit: Kit,
): { readonly component: Component; readonly typed: Promise<string | undefined> } {
  const { pi, style } = kit;
  const field = new pi.Input();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  field.onSubmit = (value) => resolve(value.trim());
  field.onEscape = () => resolve(undefined);
  return {
    typed: promise,
    component: {
      render: (width) => [
        fit(` ${style.bold(title)}`, width, kit),
        fit(` ${style.accent("›")} ${"•".repeat(Math.min(SHOWN_DOTS, field.getValue().length))}`, width, kit),
      ],
      invalidate: () => field.invalidate(),
      handleInput: (data) => {
        if (pi.matchesKey(data, "ctrl+c")) return resolve(undefined);
        field.handleInput(data);
      },
    },
  };
}
