/** Short messages at the bottom, with an Undo where something was done at once. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { t } from "../texts/index.ts";
import { Button } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const toasts = signal<readonly Toast[]>([]);
const SHOWN_MS = 5_000;
const UNDO_MS = 10_000;

export function toast(text: string): void {
  add({ text }, SHOWN_MS);
}

/** Says what was done and offers to take it back for 10 seconds. */
export function undoable(text: string, undo: () => void): void {
  add({ text, action: { label: t("common.undo"), run: undo } }, UNDO_MS);
}

function add(toast: Omit<Toast, "id">, shownMs: number): void {
  const id = (toasts.value.at(-1)?.id ?? 0) + 1;
  toasts.value = [...toasts.value.slice(-2), { ...toast, id }];
  setTimeout(() => drop(id), shownMs);
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts(): VNode {
  return (
    <div class="toasts" role="status">
      {toasts.value.map((one) => (
        <div class="toast" key={one.id}>
          <span class="grow">{one.text}</span>
          {one.action && (
            <Button
              size="small"
              onClick={() => {
                drop(one.id);
                one.action?.run();
              }}
            >
              {one.action.label}
            </Button>
          )}
          <Button size="small" icon="close" label={t("common.close")} onClick={() => drop(one.id)} />
        </div>
      ))}
    </div>
  );
}
