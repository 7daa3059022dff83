/** Messages that wait, in their order, and the one that is edited where it stands. */
import { safeLine } from "../safe.ts";
import { columns, rule, WIDE, type Kit } from "./kit.ts";

export type Mode = "steer" | "queue";

export interface WaitingMessage {
  readonly id: string;
  readonly text: string;
  readonly mode: Mode;
}

/** The one that is edited, as it was and as it will be. */
export interface Editing {
  readonly message: WaitingMessage;
  readonly mode: Mode;
}

export interface QueueState {
  readonly waiting: readonly WaitingMessage[];
  readonly editing?: Editing;
}

/** @param edited Lines of the editor that holds it. */
export function queueLines(
  { waiting, editing }: QueueState,
  edited: (width: number) => readonly string[],
  width: number,
  kit: Kit,
): readonly string[] {
  if (waiting.length === 0) return [];
  const { pi, style, texts } = kit;
  const at = waiting.findIndex(({ id }) => id === editing?.message.id);
  const title = texts("queue.title", { count: waiting.length });
  const isWide = width >= WIDE;
  const how = `${title} · ${style.bold(texts("queue.editing", { number: at + 1 }))}${isWide ? style.dim(` · ${texts("queue.keys")}`) : ""}`;
  const labels = Math.max(...(["steer", "queue"] as const).map((mode) => pi.visibleWidth(texts(`queue.${mode}`))));
  const labelOf = (mode: Mode): string => {
    const label = texts(`queue.${mode}`);
    const padded = label + " ".repeat(labels - pi.visibleWidth(label));
    return mode === "steer" ? style.accent(padded) : style.dim(padded);
  };
  return [
    rule(at < 0 ? title : how, width, kit),
    ...waiting.flatMap((message, index) => {
      if (index !== at || editing === undefined)
        return columns(
          ` ${style.dim(String(index + 1))}  ${safeLine(message.text)}`,
          labelOf(message.mode),
          width,
          kit,
        );
      const [first = "", ...rest] = edited(Math.max(8, width - 4 - labels - 3));
      return [
        ...columns(` ${style.accent(String(index + 1))}  ${first}`, labelOf(editing.mode), width, kit),
        ...rest.map((line) => `    ${line}`),
      ];
    }),
  ];
}
